// The parameters of the kernels that take a row by its vectors, and a row of them.
#pragma once

#include "kernels/tile/covered_row.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct SoftmaxParameters {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  int64_t x_row_stride;
  int64_t y_row_stride;
  int64_t mask_row_stride;
  int64_t rows;
  int64_t columns;
  int32_t frame_bytes;     // see SoftmaxFrame
  int32_t shared_slots;    // vectors of a lane in shared memory
  int32_t cluster_blocks;  // that share a row
  int32_t lanes;           // of all of these
  int64_t rows_ahead;      // distance to the row whose mask is brought to L2
  bool cuts_sectors;       // gaps of y cut sectors that nothing else brings to L2
  int32_t start_delay;     // ns between the starts of clusters that stay
};

template <class T, int width, RowKind kind, class Index>
ODDTILE_DEVICE CoveredRow<T, width, kind, Index> row_of(const SoftmaxParameters<T>& p,
                                                        int64_t row) {
  CoveredRow<T, width, kind, Index> result;
  Global<const T> x = p.x + row * p.x_row_stride;
  Global<T> y = p.y + row * p.y_row_stride;
  int64_t lead = 0;
  if constexpr (kind != RowKind::whole) {
    lead = int64_t(address_modulo(y, uint32_t(p.frame_bytes)) / sizeof(T));
    x = x + -lead;
    y = y + -lead;
  }
  if constexpr (kind == RowKind::ragged || kind == RowKind::masked) {
    result.x_has_frame = address_modulo(x, uint32_t(sizeof(Packed<T, width>))) == 0;
    result.x_shift = address_modulo(x, 4) * 8;
    x = x + -int64_t(result.x_shift / 16);
  }
  result.x = x;
  result.y = y;
  if constexpr (kind == RowKind::masked) result.mask = p.mask + (row * p.mask_row_stride - lead);
  result.lead = Index(lead);
  result.columns = Index(p.columns);
  result.ragged = kind != RowKind::whole && (lead % width != 0 || (lead + p.columns) % width != 0);
  return result;
}

// Brings a later row's mask to L2: whoever takes that row reads its mask before anything else and
// would wait for memory twice. The row's lanes take a line each.
template <class T, class Row, class Index>
ODDTILE_DEVICE void prefetch_mask(const SoftmaxParameters<T>& p, const Row& row, int64_t number,
                                  Index index, Index lanes) {
  if constexpr (Row::kMasked) {
    constexpr Index kLine = 128;
    // A block of a cluster may have no part of a row.
    if (number + p.rows_ahead >= p.rows || row.columns == 0) return;
    const Global<const uint8_t> ahead =
        row.mask + (p.rows_ahead * p.mask_row_stride + int64_t(row.lead));
    const Index before = Index(address_modulo(ahead, kLine));  // of its first line
    for (Index at = index * kLine - before; at < row.columns; at += lanes * kLine) {
      prefetch(ahead, at < 0 ? 0 : at);
    }
  }
}

// The same position, of which the compiler knows nothing: what follows from it is computed anew
// instead of being kept in registers that the row needs.
template <class Index>
ODDTILE_DEVICE Index again(Index position) {
  const uint32_t low = opaque(uint32_t(position));
  if constexpr (sizeof(Index) == 4) return Index(low);
  return Index(uint64_t(position) >> 32 << 32 | low);
}

// What holds columns, computed once for all vectors: the compiler would do it for each.
template <class Reach>
ODDTILE_DEVICE Reach settled(Reach reach) {
  reach.vector_end = again(reach.vector_end);
  reach.word_end = again(reach.word_end);
  reach.next_end = again(reach.next_end);
  return reach;
}

}  // namespace oddtile::ODDTILE_MACHINE
