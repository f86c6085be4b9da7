// What several litmus kernels of sm_90 share: barriers made ready, tiles in shared memory by row
// and column, and what products of the matrix of litmus.cuh must give.
#pragma once

#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kTileBytes = 64 * 64 * 2;  // of a box of tile_128

// Barriers number 0 ... count - 1 at `at`, ready for copies and all lanes.
ODDTILE_DEVICE Mbarrier* ready_barriers(std::byte* at, int count, int arrivals) {
  Mbarrier* barriers = reinterpret_cast<Mbarrier*>(at);
  if (thread() == 0) {
    for (int i = 0; i < count; ++i) mbarrier_init(barriers + i, arrivals);
    fence_mbarrier_init();
  }
  sync_block();
  return barriers;
}

// Element of a tile whose rows are as long as the swizzle's span.
ODDTILE_DEVICE Bfloat16* tile_element(std::byte* tile, int row, int column, Swizzle swizzle) {
  const uint32_t start = shared_address(tile);
  const uint32_t flat = start + uint32_t(row) * swizzle_span(swizzle) + uint32_t(column) * 2u;
  return reinterpret_cast<Bfloat16*>(tile + (swizzled(flat, swizzle) - start));
}

// The matrix from (0, 0) on, as a tile in plain stores of all lanes.
ODDTILE_DEVICE void fill_tile(std::byte* tile) {
  for (int i = thread(); i < 64 * 64; i += threads()) {
    const Bfloat16 value = from_float<Bfloat16>(tile_value(i / 64, i % 64));
    *tile_element(tile, i / 64, i % 64, Swizzle::span_128) = value;
  }
}

// Whether that tile stands in `stored` from `column` on, read by one lane; every 17th element.
ODDTILE_DEVICE bool tile_was_stored(const Litmus& p, int column) {
  bool right = true;
  for (int i = 0; i < 64 * 64; i += 17) {
    const int row = i / 64, at = column + i % 64;
    if (at >= kTileColumns) continue;
    const Bfloat16 got = load(Global<const Bfloat16>(p.stored), row * kTileColumns + at);
    right = right && to_float(got) == tile_value(row, i % 64);
  }
  return right;
}

// Whether this lane's share of `rows` x `columns` elements is the matrix from (row, column) on.
ODDTILE_DEVICE bool tile_is(std::byte* tile, int row, int column, int rows, int columns,
                            Swizzle swizzle) {
  bool right = true;
  for (int i = thread(); i < rows * columns; i += threads()) {
    const Bfloat16 got = *tile_element(tile, i / columns, i % columns, swizzle);
    right = right && to_float(got) == tile_value_or_0(row + i / columns, column + i % columns);
  }
  return right;
}

// A box of 64 x 64 to shared memory, awaited by all lanes.
ODDTILE_DEVICE void load_tile(std::byte* to, const TensorMap* map, int column, int row,
                              Mbarrier* full) {
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    load_tensor_bulk(to, map, {column, row}, full);
  }
  mbarrier_wait(full, 0);
}

template <int length>
ODDTILE_DEVICE void clear(float (&sum)[length]) {
  for (int i = 0; i < length; ++i) sum[i] = 0.0f;
}

// Where accumulator `i` of this lane lies in a warpgroup's 64 x columns.
ODDTILE_DEVICE int sum_row(int i) {
  return 16 * (warp() % 4) + lane() / 4 + 8 * (i / 2 % 2);
}
ODDTILE_DEVICE int sum_column(int i) {
  return 8 * (i / 4) + 2 * (lane() % 4) + i % 2;
}
// Exact: sums of products of small integers. Rows and columns of the matrix, over 64 columns.
ODDTILE_DEVICE float row_times_row(int row, int other) {
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) sum += tile_value_or_0(row, k) * tile_value_or_0(other, k);
  return sum;
}
ODDTILE_DEVICE float row_times_column(int row, int column) {
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) sum += tile_value_or_0(row, k) * tile_value_or_0(k, column);
  return sum;
}

// The same, upon sums that held their column's number before.
ODDTILE_DEVICE float row_times_row_and_column(int row, int other) {
  return row_times_row(row, other) + float(other);
}

// Whether a warpgroup that is the whole block holds expected(row, column); every seventh element
// that a lane meets is looked at. Uses shared memory from kScratch on, 64 x columns floats.
inline constexpr int kScratch = 2 * kTileBytes + 256;
template <int length, class Expected>
ODDTILE_DEVICE bool sums_are(const float (&sum)[length], Expected expected) {
  constexpr int columns = 2 * length;
  float* scratch = reinterpret_cast<float*>(shared_memory() + kScratch);
  ODDTILE_UNROLL
  for (int i = 0; i < length; ++i) scratch[sum_row(i) * columns + sum_column(i)] = sum[i];
  sync_block();
  bool right = true;
  for (int i = thread(); i < 64 * columns; i += 7 * 128) {
    right = right && scratch[i] == expected(i / columns, i % columns);
  }
  sync_block();
  return right;
}

// The 64 x 64 box as panels whose rows are as long as the swizzle's span, multiplied by itself in
// both majors by a warpgroup that is the whole block. `map`: of boxes of one panel.
template <Swizzle swizzle>
ODDTILE_DEVICE bool panels_multiply(const TensorMap* map) {
  constexpr int kSpan = int(swizzle_span(swizzle));  // bytes of a row
  constexpr int kColumns = kSpan / 2;                // of a panel
  constexpr int kPanelBytes = 64 * kSpan;
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    for (int panel = 0; panel < 64 / kColumns; ++panel) {
      load_tensor_bulk(tile + kPanelBytes * panel, map, {kColumns * panel, 0}, full);
    }
  }
  mbarrier_wait(full, 0);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 8 * kSpan, swizzle);
  const MatrixDescriptor columns = matrix_descriptor(tile, kPanelBytes, 8 * kSpan, swizzle);
  float sum[32];
  float turned[32];
  clear(sum);
  clear(turned);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) {
    const int panel = 16 * k / kColumns;
    const MatrixDescriptor a = rows + (panel * kPanelBytes + 16 * k % kColumns * 2);
    wgmma<Bfloat16>(sum, a, a, k != 0);
    wgmma<Bfloat16, Major::k, Major::mn>(turned, a, columns + 16 * kSpan * k, k != 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  wgmma_ready(turned);
  const bool right = sums_are(sum, row_times_row);
  return sums_are(turned, row_times_column) && right;
}

}  // namespace oddtile::ODDTILE_MACHINE
