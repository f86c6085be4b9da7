// Shared memory of a block of hopper.cuh: the tiles, the barriers by which they are handed over,
// and where in the rings of stages a role stands.
#pragma once

#include "kernels/attention/hopper_shape.h"
#include "kernels/tile/panel_tile.cuh"
#include "kernels/tile/warpgroup_product.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int32_t kNoWork = -1;

struct BlockRange {  // of blocks of keys, [first, end); empty: first == end
  int32_t first;
  int32_t end;
};

// What one consumer has to do of a query tile. It stays in shared memory, where it can be read
// again: registers are what a consumer has least of.
struct alignas(16) WorkItem {
  int32_t first_query;  // of the consumer's 64; kNoWork: there are no more tiles
  int32_t head;
  int32_t batch;
  int32_t key_length;
  BlockRange of_tile;  // that some consumer needs, so that all see them come and go
  BlockRange own;      // a part of them; empty at the end
  BlockRange whole;    // whose scores stay as they are: all queries see all keys; from own.first on
};

// What a block has of shared memory, and how much of it is not for tiles.
inline constexpr int kSharedBytesMost = 232448;
inline constexpr int kBesideTiles = 2048;

// Tiles of 64 queries: one for each consumer and, if they fit, another that is filled while that
// one is read. They form a ring, from which the consumers take every s.consumers-th.
constexpr int query_tiles(const HopperShape& s, int tile_bytes, int other_bytes) {
  const int twice = 2 * s.consumers * tile_bytes;
  return twice + other_bytes + kBesideTiles <= kSharedBytesMost ? 2 * s.consumers : s.consumers;
}

// A position in a ring, and the parity of the phase in which what is there is full; empty is
// awaited with the other parity, so that the first round passes at once.
template <int size>
struct RingPlace {
  int index = 0;
  uint32_t parity = 0;

  ODDTILE_DEVICE void advance(int by = 1) {
    index += by;
    if (index < size) return;
    index -= size;
    parity ^= 1;
  }
  ODDTILE_DEVICE RingPlace previous() const {
    return index == 0 ? RingPlace{size - 1, parity ^ 1} : RingPlace{index - 1, parity};
  }
};
template <HopperShape s>
using Stage = RingPlace<s.stages>;

template <HopperShape s, int query_tiles>
struct HopperBarriers {
  Mbarrier q_full[query_tiles];
  Mbarrier q_empty[query_tiles];
  Mbarrier k_full[s.stages];
  Mbarrier k_empty[s.stages];
  Mbarrier v_full[s.stages];
  Mbarrier v_empty[s.stages];
  Mbarrier v_landed;  // of a V whose last rows the producer clears before it is full

  // By one thread, before the block's barrier.
  ODDTILE_DEVICE void init() {
    constexpr int kWarps = 4;  // of a warpgroup; each releases for itself
    for (int tile = 0; tile < query_tiles; ++tile) {
      mbarrier_init(q_full + tile, 1);
      mbarrier_init(q_empty + tile, s.staging == Staging::queries ? 1 : kWarps);
    }
    for (int stage = 0; stage < s.stages; ++stage) {
      mbarrier_init(k_full + stage, 1);
      mbarrier_init(k_empty + stage, kWarps * s.consumers);
      mbarrier_init(v_full + stage, 1);
      mbarrier_init(v_empty + stage, kWarps * s.consumers);
    }
    mbarrier_init(&v_landed, 1);
    fence_mbarrier_init();
  }
};

// Named barriers, by the number of a consumer. A turn is awaited by one consumer and passed by
// another.
struct TurnBarrier {
  static constexpr int kFirst = 1;
  ODDTILE_DEVICE static void sync(int group) { named_barrier_sync<256>(kFirst + group); }
  ODDTILE_DEVICE static void arrive(int group) { named_barrier_arrive<256>(kFirst + group); }
};
struct OwnBarrier {
  static constexpr int kFirst = 8;
  ODDTILE_DEVICE static void sync(int group) { named_barrier_sync<128>(kFirst + group); }
};

template <HopperShape s>
struct HopperMemory {
  using QueryRows = PanelTile<kWarpgroupRows, s.head_size>;  // of one warpgroup
  static constexpr int kStagedColumns =
      s.staging == Staging::halves ? s.head_size / 2 : s.head_size;
  using StagedRows = PanelTile<kWarpgroupRows, kStagedColumns>;  // of O, of one warpgroup
  using KeyRows = PanelTile<s.keys, s.head_size>;
  using WeightRows = PanelTile<kWarpgroupRows, s.keys>;

  static constexpr int kKeyRing = s.stages * KeyRows::kBytes;
  static constexpr int kWeights = s.weights_in_registers ? 0 : s.consumers * WeightRows::kBytes;
  static constexpr bool kStagingOfItsOwn =
      s.staging == Staging::own || s.staging == Staging::halves;
  static constexpr int kStaging = kStagingOfItsOwn ? s.consumers * StagedRows::kBytes : 0;
  static constexpr int kQueryTiles =
      query_tiles(s, QueryRows::kBytes, 2 * kKeyRing + kWeights + kStaging);
  static constexpr int kQ = kQueryTiles * QueryRows::kBytes;
  static constexpr int kTiles = kQ + 2 * kKeyRing + kWeights + kStaging;
  static constexpr int kWork = 2 * int(sizeof(WorkItem)) * kQueryTiles;
  using Barriers = HopperBarriers<s, kQueryTiles>;
  using QueryPlace = RingPlace<kQueryTiles>;
  static constexpr int64_t kBytes = kTiles + kWork + int64_t(sizeof(Barriers));
  static_assert(kQueryTiles >= s.consumers && kBytes <= kSharedBytesMost,
                "more shared memory than a block can have");
  static_assert(s.staging != Staging::weights ||
                    (!s.weights_in_registers && WeightRows::kBytes >= StagedRows::kBytes),
                "O does not fit where the weights are");
  static_assert(s.head_size % kStagedColumns == 0 && kStagedColumns % kPanelColumns == 0,
                "O is stored by whole panels");

  std::byte* start;
  WorkItem* work_items;  // two for each tile of Q
  Barriers* barriers;

  ODDTILE_DEVICE static HopperMemory of_block() {
    std::byte* const start = shared_memory();
    return {start, reinterpret_cast<WorkItem*>(start + kTiles),
            reinterpret_cast<Barriers*>(start + kTiles + kWork)};
  }

  // Of the queries at this place. It outlives them: its own place is filled again after the queries
  // of the consumer's next tile are no longer needed, when nobody reads it any more.
  ODDTILE_DEVICE WorkItem& work(const QueryPlace& at) const {
    return work_items[int(at.parity) * kQueryTiles + at.index];
  }

  ODDTILE_DEVICE QueryRows q(const QueryPlace& at) const {
    return {start + at.index * QueryRows::kBytes};
  }
  ODDTILE_DEVICE KeyRows k(int stage) const { return {start + kQ + stage * KeyRows::kBytes}; }
  ODDTILE_DEVICE KeyRows v(int stage) const {
    return {start + kQ + kKeyRing + stage * KeyRows::kBytes};
  }
  ODDTILE_DEVICE WeightRows weights(int group) const {
    return {start + kQ + 2 * kKeyRing + group * WeightRows::kBytes};
  }
  ODDTILE_DEVICE StagedRows staging(int group, const QueryPlace& queries) const {
    if (s.staging == Staging::queries) return {q(queries).start};
    if (s.staging == Staging::weights) return {weights(group).start};
    return {start + kQ + 2 * kKeyRing + kWeights + group * StagedRows::kBytes};
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
