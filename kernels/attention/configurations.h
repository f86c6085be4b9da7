// The tiles that attention is built for, in one place; README.md says how they were chosen.
#pragma once

#include <cstdint>
#include <tuple>

namespace oddtile {

// A query tile of 16 * fragments * warps rows against key tiles of `keys`, for head sizes up to
// `head_size` (smaller ones are padded with zeros in shared memory).
template <int head_size, int warps, int fragments, int keys, int min_blocks>
struct AttentionTile {
  static constexpr int kHeadSize = head_size;
  static constexpr int kWarps = warps;
  static constexpr int kThreads = 32 * warps;
  static constexpr int kFragments = fragments;
  static constexpr int kWarpRows = 16 * fragments;
  static constexpr int kTileRows = kWarpRows * warps;
  static constexpr int kTileKeys = keys;
  static constexpr int kMinBlocks = min_blocks;  // per multiprocessor, for the register allocator
  static constexpr bool kProduction = kTileRows > 32;
  static constexpr int64_t kSharedBytes = int64_t(kTileRows + 2 * keys) * head_size * 2;
};

// The index is the configuration's id. Preferred first: the first entry whose head size suffices.
using AttentionTiles =
    std::tuple<AttentionTile<32, 4, 2, 128, 2>,  // 0: 128 x 128
               AttentionTile<64, 4, 2, 128, 2>,  // 1: 128 x 128
               AttentionTile<64, 4, 1, 64, 3>,   // 2: 64 x 64, short sequences
               AttentionTile<96, 4, 2, 64, 2>,   // 3: 128 x 64
               AttentionTile<128, 4, 2, 64, 2>,  // 4: 128 x 64
               AttentionTile<128, 4, 1, 64, 2>,  // 5: 64 x 64, short sequences
               AttentionTile<192, 8, 1, 64, 1>,  // 6: 128 x 64
               AttentionTile<256, 8, 1, 64, 1>,  // 7: 128 x 64
               AttentionTile<32, 1, 1, 16, 1>,   // 8: 16 x 16; from here on for fuzzing
               AttentionTile<64, 2, 1, 16, 1>,   // 9: 32 x 16
               AttentionTile<128, 1, 1, 16, 1>,  // 10: 16 x 16
               AttentionTile<256, 1, 1, 32, 1>,  // 11: 16 x 32
               AttentionTile<64, 1, 1, 16, 1>>;  // 12: 16 x 16

inline constexpr int kAttentionTiles = std::tuple_size_v<AttentionTiles>;

}  // namespace oddtile
