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
  int32_t columns;  // also the row stride of all three
  int32_t tile_rows;
  bool moves;  // x and y lie differently on vectors: results go to a place of their own
};

// Replaces scores by their weights and returns this lane's sum of them.
template <int most, class Weight>
ODDTILE_DEVICE float weigh(float (&value)[most], const Weight& weight) {
  float sum = 0.0f;
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) sum += value[i] = weight(value[i]);
  return sum;
}

// One row from shared memory to shared memory, perhaps the same, by `lanes` lanes of which this one
// is number `index`.
template <class T, int lanes, int most, bool masked>
ODDTILE_DEVICE void normalise(const T* row, T* result, const uint8_t* mask, int32_t columns,
                              int32_t index) {
  const int32_t left = columns - index;
  row += index;
  result += index;
  if constexpr (masked) mask += index;
  float value[most];
  float max = kNegativeInfinity;
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    value[i] = kNegativeInfinity;
    if (i * lanes < left && (!masked || mask[i * lanes] != 0)) value[i] = to_float(row[i * lanes]);
    max = maximum(max, value[i]);
  }
  const RowFrame frame = frame_at(reduce_lanes<Maximum, lanes>(max), kLog2E);
  const float own = vote_any(takes_difference<T>(frame)) ? weigh(value, RowWeights(frame))
                                                         : weigh(value, FusedWeights(frame));
  const float scale = divide(1.0f, reduce_lanes<Sum, lanes>(own));
  // In any other row the weights of hidden columns are 0.
  const bool clears = masked && !(magnitude(scale) < -kNegativeInfinity);
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    if (i * lanes >= left) continue;
    const bool is_hidden = clears && mask[i * lanes] == 0;
    result[i * lanes] = from_float<T>(is_hidden ? 0.0f : value[i] * scale);
  }
}

template <class T, int lanes, int most, bool masked>
ODDTILE_KERNEL(128, 1)
softmax_of_tiles(TileParameters<T> p) {
  const int64_t first_row = block() * p.tile_rows;
  const int64_t rows_left = p.rows - first_row;
  const int32_t rows = rows_left < p.tile_rows ? int32_t(rows_left) : p.tile_rows;
  const int64_t first = first_row * p.columns;
  const int32_t count = rows * p.columns;
  const int32_t bytes = staged_bytes(p.tile_rows * p.columns * int32_t(sizeof(T)));
  std::byte* memory = shared_memory();
  T* const values = stage_in(memory, p.x + first, count);
  // Masked rows have no instructions to spare for a second address.
  T* const results = !masked && p.moves ? staged_place(memory + bytes, p.y + first) : values;
  const uint8_t* mask = nullptr;
  if constexpr (masked) mask = stage_in(memory + bytes, p.mask + first, count);
  commit_copies();
  wait_copies<0>();
  sync_block();

  // A warp's lanes stay together for the reductions: those beyond the last row have no columns.
  for (int32_t r = thread() / lanes; r - lane() / lanes < rows; r += threads() / lanes) {
    const int32_t row = r < rows ? r : 0;
    const int32_t at = row * p.columns;
    normalise<T, lanes, most, masked>(values + at, results + at, masked ? mask + at : nullptr,
                                      r < rows ? p.columns : 0, thread() % lanes);
  }
  sync_block();
  stage_out(p.y + first, results, count);
}

}  // namespace oddtile::ODDTILE_MACHINE
