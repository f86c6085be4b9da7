// Sectors of memory of which a row of the output covers a part, and a gap the rest.
//
// A sector that is written in part must be read from memory before it can be written back. Left to
// the L2, that costs about ten times the bytes; a sector that is there already costs its read.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Brings the sectors that gaps cut at the ends of a row of `columns` elements from `first` on to
// L2. Rows are `stride` apart; what the row before has asked for is left out. `by_line`: by lines
// of 128 bytes, for rows that cut nearly all of them, and where there are no instructions to spare
// (a prefetch of a sector is issued lane by lane).
template <class T>
ODDTILE_DEVICE void prefetch_cut_sectors(Global<T> first, int64_t columns, int64_t stride,
                                         bool by_line) {
  const auto ask = [&](Global<T> at, int64_t index) {
    by_line ? prefetch(at, index) : prefetch_sector(at, index);
  };
  const Global<T> end = first + columns;
  if (address_modulo(end, kSectorBytes) != 0) ask(end, -1);
  const uint32_t before = address_modulo(first, kSectorBytes);
  if (before != 0 && int64_t(before) <= (stride - columns) * int64_t(sizeof(T))) ask(first, 0);
}

}  // namespace oddtile::ODDTILE_MACHINE
