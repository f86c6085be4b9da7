// What hopper.cuh is told, which query tile a ticket stands for, and which blocks of keys it needs.
#pragma once

#include "kernels/attention/hopper_memory.cuh"
#include "kernels/attention/visible.cuh"
#include "kernels/tile/warpgroup_rows.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct HopperParameters {
  TensorMap q, k, v, o;  // boxes of one panel: 64 rows of q and o, `keys` rows of k and v
  AttentionParameters<T> problem;
  Global<int32_t> tickets;  // drawn so far; the first tile of each block needs none
  int32_t seq_k;
  int32_t group;  // query heads per kv head
  int32_t tiles;  // batch * heads_q * row_tiles
  int32_t row_tiles;
  int32_t section;  // heads whose tiles are drawn together, the longest first
  float slack;      // scores by which a maximum may pass its frame: kLazyLog2 / c
};

// Tiles are drawn in sections of heads, so that their K and V stay in the L2 cache; within one, the
// last row tile of every head comes first, because under a causal band it is the longest.
template <HopperShape s, class T>
ODDTILE_DEVICE WorkItem work_item(const HopperParameters<T>& p, int32_t ticket) {
  const int32_t heads_q = int32_t(p.problem.heads_q);
  const int32_t heads = int32_t(p.problem.batch) * heads_q;
  const int32_t first_head = ticket / (p.section * p.row_tiles) * p.section;
  const int32_t within = ticket - first_head * p.row_tiles;
  const int32_t heads_here = p.section < heads - first_head ? p.section : heads - first_head;
  const int32_t row_tile = p.row_tiles - 1 - within / heads_here;
  const int32_t head_and_batch = first_head + within % heads_here;
  const int32_t batch = head_and_batch / heads_q;
  return {row_tile * s.rows(), head_and_batch - batch * heads_q, batch,
          int32_t(key_length_of(p.problem, batch))};
}

struct BlockRange {  // of blocks of keys, [first, end); empty: first == end
  int32_t first;
  int32_t end;
};

// Blocks with a key that some of `rows` queries from first_query on may see.
template <HopperShape s, class T>
ODDTILE_DEVICE BlockRange blocks_of_rows(const HopperParameters<T>& p, const WorkItem& work,
                                         int32_t first_query, int32_t rows) {
  const Band band = band_of(p.problem, work.key_length);
  const int64_t end_query = smaller(int64_t(first_query) + rows, p.problem.seq_q);
  const Range keys = keys_of_queries(band, first_query, end_query - 1);
  if (end_query <= first_query || keys.end <= keys.begin) return {0, 0};
  return {int32_t(keys.begin / s.keys), int32_t((keys.end - 1) / s.keys + 1)};
}

// The same for one warpgroup's rows, within the tile's range; empty ones at its end.
template <HopperShape s, class T>
ODDTILE_DEVICE BlockRange blocks_of_group(const HopperParameters<T>& p, const WorkItem& work,
                                          int group, const BlockRange& of_tile) {
  const BlockRange own =
      blocks_of_rows<s>(p, work, work.first_query + kWarpgroupRows * group, kWarpgroupRows);
  return own.first < own.end ? own : BlockRange{of_tile.end, of_tile.end};
}

// Blocks all of whose keys all rows of the warpgroup see, as far as band and length go.
template <HopperShape s, class T>
ODDTILE_DEVICE BlockRange whole_blocks(const HopperParameters<T>& p, const WorkItem& work,
                                       int group) {
  const Band band = band_of(p.problem, work.key_length);
  const int64_t first = work.first_query + kWarpgroupRows * group;
  const int64_t last = smaller(first + kWarpgroupRows, p.problem.seq_q) - 1;
  const int64_t seen_by_last = larger(last + band.low, 0);  // keys from here on
  const int64_t seen_by_first = smaller(first + band.high + 1, band.key_length);  // and before
  const int64_t begin = (smaller(seen_by_last, band.key_length) + s.keys - 1) / s.keys;
  return {int32_t(begin), int32_t(larger(seen_by_first, 0) / s.keys)};
}

}  // namespace oddtile::ODDTILE_MACHINE
