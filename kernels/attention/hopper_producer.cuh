// The producer of hopper.cuh: one warp that draws tiles and copies Q, K and V to shared memory.
#pragma once

#include "kernels/attention/hopper_memory.cuh"
#include "kernels/attention/hopper_schedule.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <HopperShape s, class T>
struct Producer {
  using QueryPlace = typename HopperMemory<s>::QueryPlace;

  const HopperParameters<T>& p;
  const HopperMemory<s>& memory;
  CachePolicy once;  // Q is read once
  CachePolicy kept;  // K and V by every query tile of their heads
  bool leader;

  template <class Tile>
  ODDTILE_DEVICE void copy(const Tile& to, const TensorMap* map, int row, int head, int batch,
                           Mbarrier* full, CachePolicy policy) const {
    mbarrier_arrive_expect(full, Tile::kBytes);
    if constexpr (Tile::kPanels == 1) {
      load_tensor_bulk(to.start, map, {0, row, head, batch}, full, policy);
    } else {
      load_tensor_bulk(to.start, map, {0, row, head, batch, 0}, full, policy);
      ODDTILE_NO_UNROLL
      for (int panel = 1; panel < p.boxes; ++panel) {
        load_tensor_bulk(to.panel(panel), map, {kPanelColumns * panel, row, head, batch, 0}, full,
                         policy);
      }
    }
  }

  // The leader alone waits and copies, here and below: other lanes could fall a phase behind.
  ODDTILE_DEVICE void load_q(const QueryTileOfHead& tile, const BlockRange& of_tile,
                             QueryPlace& at) const {
    ODDTILE_UNROLL
    for (int group = 0; group < s.consumers; ++group) {
      const WorkItem work = work_item<s>(p, tile, group, of_tile);
      mbarrier_wait(memory.barriers->q_empty + at.index, at.parity ^ 1);
      memory.work(at) = work;
      copy(memory.q(at), &p.q, work.first_query, tile.head, tile.batch,
           memory.barriers->q_full + at.index, once);
      at.advance();
    }
  }
  ODDTILE_DEVICE void load_k(const QueryTileOfHead& tile, int block, const Stage<s>& at) const {
    mbarrier_wait(memory.barriers->k_empty + at.index, at.parity ^ 1);
    copy(memory.k(at.index), &p.k, block * s.keys, tile.kv_head, tile.batch,
         memory.barriers->k_full + at.index, kept);
  }
  ODDTILE_DEVICE void load_v(const QueryTileOfHead& tile, int block, const Stage<s>& at,
                             Mbarrier* full) const {
    mbarrier_wait(memory.barriers->v_empty + at.index, at.parity ^ 1);
    copy(memory.v(at.index), &p.v, block * s.keys, tile.kv_head, tile.batch, full, kept);
  }

  // V beyond the key length may be NaN, which even a weight of 0 would let through: the whole warp
  // clears it before the stage counts as full.
  ODDTILE_DEVICE void finish_cut_v(const Stage<s>& at, int live, uint32_t landed_parity) const {
    if (leader) mbarrier_wait(&memory.barriers->v_landed, landed_parity);
    sync_warp();
    clear_rows(memory.v(at.index), live);
    fence_async_proxy_shared();
    sync_warp();
    if (leader) mbarrier_arrive(memory.barriers->v_full + at.index);
  }

  template <class Tile>
  ODDTILE_DEVICE void clear_rows(const Tile& tile, int first) const {
    constexpr int kRowChunks = kPanelRowBytes / 16;
    ODDTILE_NO_UNROLL
    for (int i = first * kRowChunks + lane(); i < Tile::kRows * kRowChunks; i += 32) {
      ODDTILE_UNROLL
      for (int panel = 0; panel < Tile::kPanels; ++panel) {
        reinterpret_cast<Vector<uint32_t, 4>*>(tile.panel(panel))[i] = {};
      }
    }
  }

  // Where queries of the next tile are copied early, the producer is ahead, and draws first.
  // Elsewhere consumers wait for a tile's first blocks, and the thousand clocks until the counter
  // answers come after these.
  static constexpr bool kDrawsFirst = HopperMemory<s>::kQueryTiles > s.consumers;

  // Leaves the next ticket.
  ODDTILE_DEVICE int32_t load_blocks(const QueryTileOfHead& tile, const BlockRange& keys,
                                     Stage<s>& at, uint32_t& landed_parity) const {
    const bool ends_early = tile.key_length < p.seq_k && tile.key_length % s.keys != 0;
    const int cut_block = ends_early ? tile.key_length / s.keys : -1;
    const int draw_block = larger(keys.end - 2, keys.first);
    int32_t next = 0;
    if (leader && (kDrawsFirst || keys.first == keys.end)) next = draw();
    ODDTILE_NO_UNROLL
    for (int n = keys.end - 1; n >= keys.first; --n) {
      const Stage<s> before = at;
      const bool cut = n == cut_block;
      at.advance();
      if (leader) {
        if (n > keys.first) load_k(tile, n - 1, at);
        load_v(tile, n, before,
               cut ? &memory.barriers->v_landed : memory.barriers->v_full + before.index);
      }
      if (!kDrawsFirst && leader && n == draw_block) next = draw();
      if (!cut) continue;
      finish_cut_v(before, tile.key_length - n * s.keys, landed_parity);
      landed_parity ^= 1;
    }
    return shuffle(next, 0);
  }

  // The counter is cleared beside this launch, while the first tile is loaded.
  ODDTILE_DEVICE int32_t draw() const {
    await_earlier_launches();
    return int32_t(blocks()) + atomic_add(p.tickets, 0, 1);
  }

  ODDTILE_DEVICE void run() const {
    Stage<s> at;
    QueryPlace q_at;
    uint32_t landed_parity = 0;
    for (int32_t ticket = int32_t(block()); ticket < p.order.tiles();) {
      const QueryTileOfHead tile = tile_of_ticket(p, ticket);
      const BlockRange keys = blocks_of_queries(hopper_band(p, tile.key_length), tile.first_query,
                                                tile.end_query, s.keys);
      if (leader) {
        if (keys.first < keys.end) load_k(tile, keys.end - 1, at);
        load_q(tile, keys, q_at);
      }
      ticket = load_blocks(tile, keys, at, landed_parity);
    }
    if (leader) hand_over_end(q_at);
  }

  ODDTILE_DEVICE void hand_over_end(QueryPlace& at) const {
    ODDTILE_UNROLL
    for (int group = 0; group < s.consumers; ++group) {
      mbarrier_wait(memory.barriers->q_empty + at.index, at.parity ^ 1);
      memory.work(at).first_query = kNoWork;
      mbarrier_arrive(memory.barriers->q_full + at.index);
      at.advance();
    }
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
