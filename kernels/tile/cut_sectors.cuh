// Sectors of memory of which a row of the output covers a part, and a gap the rest.
//
// A sector that is written in part must be read from memory before it can be written back. Left to
// the L2, that costs about ten times the bytes; a sector that is there already costs its read.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// 16-bit rows have twice as many for as many bytes, and no instructions to spare: whole lines for
// them, since a prefetch of a sector is issued lane by lane.
template <class T>
ODDTILE_DEVICE void prefetch_cut_sector(Global<T> base, int64_t index) {
  if constexpr (sizeof(T) == 2) {
    prefetch(base, index);
  } else {
    prefetch_sector(base, index);
  }
}

// Brings the sectors that gaps cut at the ends of a row of `columns` elements from `first` on to
// L2. Rows are `stride` apart; what the row before has asked for is left out.
template <class T>
ODDTILE_DEVICE void prefetch_cut_sectors(Global<T> first, int64_t columns, int64_t stride) {
  const Global<T> end = first + columns;
  if (address_modulo(end, kSectorBytes) != 0) prefetch_cut_sector(end, -1);
  const uint32_t before = address_modulo(first, kSectorBytes);
  if (before != 0 && int64_t(before) <= (stride - columns) * int64_t(sizeof(T))) {
    prefetch_cut_sector(first, 0);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
