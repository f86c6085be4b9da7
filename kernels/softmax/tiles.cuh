// Tiles of consecutive short rows, for rows that start anywhere in 16-bit types: a block brings the
// memory of many rows to shared memory as one run, whose alignment matters only at its two ends,
// normalises the rows there, and writes the run back.
#pragma once

#include "kernels/tile/row_reduction.cuh"
#include "kernels/tile/staged_span.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct TileParameters {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  int64_t rows;
  int32_t columns;
  int32_t row_stride;       // of x and of y
  int32_t mask_row_stride;  // at least columns
  int32_t tile_rows;
};

// One row in shared memory, by `lanes` lanes of which this one is number `index`.
template <class T, int lanes, int most, bool masked>
ODDTILE_DEVICE void normalise_in_place(T* row, const uint8_t* mask, int32_t columns,
                                       int32_t index) {
  float value[most];
  float max = kNegativeInfinity;
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    const int32_t column = i * lanes + index;
    value[i] = kNegativeInfinity;
    if (column < columns && (!masked || mask[column] != 0)) value[i] = to_float(row[column]);
    max = maximum(max, value[i]);
  }
  max = reduce_lanes<Maximum, lanes>(max);
  const RowWeights<T> weight(frame_at(max, kLog2E));
  float sum = 0.0f;
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) sum += value[i] = weight(value[i]);
  const float scale = divide(1.0f, reduce_lanes<Sum, lanes>(sum));
  // In any other row the weights of hidden columns are 0.
  const bool clears = masked && !(magnitude(scale) < -kNegativeInfinity);
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    const int32_t column = i * lanes + index;
    if (column >= columns) continue;
    row[column] = from_float<T>(clears && mask[column] == 0 ? 0.0f : value[i] * scale);
  }
}

template <class T, int lanes, int most, bool masked>
ODDTILE_KERNEL(128, 1)
softmax_of_tiles(TileParameters<T> p) {
  const int64_t first_row = block() * p.tile_rows;
  const int64_t rows_left = p.rows - first_row;
  const int32_t rows = rows_left < p.tile_rows ? int32_t(rows_left) : p.tile_rows;
  const int32_t span = (rows - 1) * p.row_stride + p.columns;
  T* const values = stage_in(shared_memory(), p.x + first_row * p.row_stride, span);
  uint8_t* mask = nullptr;
  if constexpr (masked) {
    mask = stage_in(shared_memory() + staged_bytes(p.tile_rows * p.row_stride * int32_t(sizeof(T))),
                    p.mask + first_row * p.mask_row_stride,
                    (rows - 1) * p.mask_row_stride + p.columns);
  }
  commit_copies();
  wait_copies<0>();
  sync_block();

  // A warp's lanes stay together for the reductions: those beyond the last row have no columns.
  for (int32_t r = thread() / lanes; r - lane() / lanes < rows; r += threads() / lanes) {
    const int32_t row = r < rows ? r : 0;
    normalise_in_place<T, lanes, most, masked>(values + row * p.row_stride,
                                               masked ? mask + row * p.mask_row_stride : nullptr,
                                               r < rows ? p.columns : 0, thread() % lanes);
  }
  sync_block();
  stage_out(p.y + first_row * p.row_stride, values, span, p.columns, p.row_stride);
}

}  // namespace oddtile::ODDTILE_MACHINE
