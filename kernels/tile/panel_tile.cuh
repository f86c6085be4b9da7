// A tile of 16-bit elements as tensor copies write it and the matrix unit of sm_90 reads it: panels
// of 64 columns one behind the other, each `rows` rows of 128 bytes whose eight 16-byte chunks are
// permuted by the row (base/matrix_descriptor.h). Starts at a multiple of 1024 bytes.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kPanelColumns = 64;
inline constexpr int kPanelRowBytes = 128;

template <int rows, int columns>
struct PanelTile {
  static_assert(rows % 8 == 0, "the permutation repeats after eight rows");
  static constexpr int kRows = rows;
  static constexpr int kPanels = (columns + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kPanelBytes = rows * kPanelRowBytes;
  static constexpr int kBytes = kPanels * kPanelBytes;

  std::byte* start;

  ODDTILE_DEVICE std::byte* panel(int number) const { return start + number * kPanelBytes; }
  // Eight elements of a row.
  ODDTILE_DEVICE std::byte* chunk(int row, int number) const {
    return panel(number / 8) + row * kPanelRowBytes + ((number ^ row) & 7) * 16;
  }

  // As an operand whose product runs along the columns (k along memory), from column 16 * step on.
  ODDTILE_DEVICE MatrixDescriptor along_columns() const {
    return matrix_descriptor(start, 16, 8 * kPanelRowBytes, Swizzle::span_128);
  }
  static constexpr uint32_t column_step(int step) {
    return uint32_t(step / 4 * kPanelBytes + step % 4 * 32);
  }
  // As a right operand whose product runs along the rows, from row 16 * step on.
  ODDTILE_DEVICE MatrixDescriptor along_rows() const {
    return matrix_descriptor(start, kPanelBytes, 8 * kPanelRowBytes, Swizzle::span_128);
  }
  static constexpr uint32_t row_step(int step) { return uint32_t(step * 16 * kPanelRowBytes); }
};

}  // namespace oddtile::ODDTILE_MACHINE
