// What hopper.cuh is told, which query tile a ticket stands for, and which blocks of keys it needs.
#pragma once

#include "kernels/attention/hopper_memory.cuh"
#include "kernels/attention/tile_order.h"
#include "kernels/attention/visible.cuh"
#include "kernels/tile/warpgroup_rows.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct HopperParameters {
  TensorMap q, k, v;  // boxes of 64 rows of q, `keys` rows of k and v, and one or all panels
  TensorMap o;        // 64 rows, one panel
  int32_t boxes;      // of a tile of q, k or v
  AttentionParameters<T> problem;
  Global<int32_t> tickets;  // drawn so far; the first tile of each block needs none
  int32_t seq_q;
  int32_t seq_k;
  int32_t band_low;  // clamped to +-kHopperBandMost
  int32_t band_high;
  Divisor heads_q;
  Divisor group;  // query heads per kv head
  TileOrder order;
  FrameScale frame;
};

struct QueryTileOfHead {
  int32_t first_query;
  int32_t end_query;
  int32_t head;
  int32_t kv_head;
  int32_t batch;
  int32_t key_length;
};

template <class T>
ODDTILE_DEVICE QueryTileOfHead tile_of_ticket(const HopperParameters<T>& p, int32_t ticket) {
  const TileOrder::Place place = p.order.place(ticket);
  const int32_t batch = p.heads_q.quotient(place.head);
  const int32_t head = place.head - batch * p.heads_q.value();
  const int32_t first_query = place.first_group * kWarpgroupRows;
  const int32_t end_query = place.end_group * kWarpgroupRows;
  return {first_query, smaller(end_query, p.seq_q),
          head,        p.group.quotient(head),
          batch,       int32_t(key_length_of(p.problem, batch))};
}

// The band of an item with that many keys. 32 bits suffice for positions up to kHopperSequenceMost.
template <class T>
ODDTILE_DEVICE BandOf<int32_t> hopper_band(const HopperParameters<T>& p, int32_t key_length) {
  const int32_t shift = p.problem.bottom_right ? key_length - p.seq_q : 0;
  return {key_length, p.band_low + shift, p.band_high + shift};
}

// Blocks of `size` keys with one that some query of [first, end) may see.
ODDTILE_DEVICE BlockRange blocks_of_queries(const BandOf<int32_t>& band, int32_t first, int32_t end,
                                            int size) {
  const RangeOf<int32_t> keys = keys_of_queries(band, first, end - 1);
  if (end <= first || keys.end <= keys.begin) return {0, 0};
  return {keys.begin / size, (keys.end - 1) / size + 1};
}

// Blocks of `size` keys all of which all queries of [first, end) see.
ODDTILE_DEVICE BlockRange whole_blocks(const BandOf<int32_t>& band, int32_t first, int32_t end,
                                       int size) {
  const int32_t first_seen_by_last = larger(0, end - 1 + band.low);
  const int32_t end_seen_by_first = larger(0, smaller(band.key_length, first + band.high + 1));
  const int32_t begin = (first_seen_by_last + size - 1) / size;
  return {begin, larger(begin, end_seen_by_first / size)};
}

// The part of consumer `group`. Of consumers that take turns, all that have queries take the same
// blocks, and so does the first, which always has. One without queries stands beyond the last.
template <HopperShape s, class T>
ODDTILE_DEVICE WorkItem work_item(const HopperParameters<T>& p, const QueryTileOfHead& tile,
                                  int group, const BlockRange& of_tile) {
  const BandOf<int32_t> band = hopper_band(p, tile.key_length);
  const int32_t from = tile.first_query + kWarpgroupRows * group;
  const int32_t first = from < tile.end_query ? from : p.seq_q;
  const int32_t end = smaller(first + kWarpgroupRows, tile.end_query);
  BlockRange own = of_tile;
  if (!s.take_turns) own = blocks_of_queries(band, first, end, s.keys);
  if (end <= first || own.first == own.end) own = {of_tile.end, of_tile.end};
  BlockRange whole = {of_tile.end, of_tile.end};
  if (!s.general || (!p.problem.mask.data && p.problem.scale.multiplier == 1.0f)) {
    whole = whole_blocks(band, first, end, s.keys);
  }
  whole = {whole.first - own.first, whole.end - own.first};
  return {first, tile.head, tile.batch, tile.key_length, of_tile, own, whole};
}

}  // namespace oddtile::ODDTILE_MACHINE
