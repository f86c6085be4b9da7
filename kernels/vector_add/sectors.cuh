// Chunks of what a warp adds under a mask, and the sectors of `out` that a chunk shows in part.
//
// What stays in such a sector must be read from memory before the sector can be written back. Left
// to the L2 that costs more than its bytes (README.md); a sector that is there already costs its
// read.
#pragma once

#include "kernels/vector_add/addition.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kSpan = 1024;        // elements of a warp
inline constexpr int kMasks = 16;         // mask bytes that a lane reads at once
inline constexpr int kRow = 32 * kMasks;  // the elements of which a warp reads the mask at once
inline constexpr int kWords = 8;          // of a lane of each tensor that are under way at once

// What a warp adds at a time; one or two of them are a row.
template <class T>
inline constexpr int kChunk = 32 * kWords * 4 / int(sizeof(T));  // elements
template <class T>
inline constexpr int kChunks = kRow / kChunk<T>;  // of a row

// A chunk of a warp. `place`: its number in its row; `visible`: the bits of it that this lane has
// read, 0 where it has read those of another chunk.
template <class T>
struct WarpChunk {
  int64_t first;
  int32_t place;
  uint32_t visible;

  // The bits of element number `element` of the chunk and of some behind it, from the lane that has
  // read them.
  ODDTILE_DEVICE uint32_t bits(int32_t element) const {
    return shuffle(visible, (place * kChunk<T> + element) / kMasks) >> (element % kMasks);
  }
};

template <class T>
inline constexpr int kSector = int(kSectorBytes) / int(sizeof(T));  // elements
template <class T>
inline constexpr int kSectorsOfLane = kMasks / kSector<T>;  // of out, of which it has the bits
template <class T>
inline constexpr int kLanesOfLine = 4 / kSectorsOfLane<T>;  // have the bits of 128 bytes

// Of a chunk the sectors that are visible in part, those of this lane a bit each.
template <class T>
struct CutSectors {
  uint32_t mine = 0;
  int32_t of_line = 0;     // how many of the four in this lane's line
  bool has_whole = false;  // one of this lane's is visible as a whole

  ODDTILE_DEVICE explicit CutSectors(uint32_t visible) {
    constexpr uint32_t kAll = (1u << kSector<T>)-1u;
    ODDTILE_UNROLL
    for (int i = 0; i < kSectorsOfLane<T>; ++i) {
      const uint32_t bits = visible >> (i * kSector<T>)&kAll;
      const bool is_cut = bits != 0 && bits != kAll;
      mine |= uint32_t(is_cut) << i;
      of_line += is_cut;
      has_whole = has_whole || bits == kAll;
    }
    ODDTILE_UNROLL
    for (int step = 1; step < kLanesOfLine<T>; step *= 2) of_line += shuffle_xor(of_line, step);
  }

  // What was measured to pay: not where little is visible, and for fp32 not below a half or so. The
  // same for all lanes.
  ODDTILE_DEVICE bool is_worth_it() const {
    return vote_any(has_whole) || (sizeof(T) == 2 && vote_all(of_line >= 2));
  }
};

// Brings the sectors that a chunk cuts to L2, by lines where all of a line are cut (sectors are
// asked for lane by lane). False where that is not worth it.
template <class T>
ODDTILE_DEVICE bool ask_for_cut_sectors(const Addition<T>& p, const WarpChunk<T>& chunk) {
  if (!p.asks) return false;
  const CutSectors<T> cut(chunk.visible);
  if (!cut.is_worth_it()) return false;
  constexpr int32_t kLanes = 32 / kChunks<T>;  // have read the bits of the chunk
  const int64_t first = chunk.first + lane() % kLanes * kMasks;
  if (cut.of_line == 4) {
    if (lane() % kLanesOfLine<T> == 0) prefetch(p.out, first);
    return true;
  }
  ODDTILE_UNROLL
  for (int i = 0; i < kSectorsOfLane<T>; ++i) {
    if ((cut.mine >> i & 1u) != 0) prefetch_sector(p.out, first + i * kSector<T>);
  }
  return true;
}

}  // namespace oddtile::ODDTILE_MACHINE
