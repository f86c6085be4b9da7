// Tiles of consecutive short rows, for rows that start anywhere: a block brings the memory of many
// rows to shared memory as one run, whose alignment matters only at its ends, normalises the rows
// to another place there, as y lies, and writes them out. What a mask hides is -inf from the
// beginning.
#pragma once

#include "kernels/tile/cut_sectors.cuh"
#include "kernels/tile/row_reduction.cuh"
#include "kernels/tile/staged_visible.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct TileParameters {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  int64_t rows;
  int32_t columns;
  int32_t stride;  // of the rows of all three
  uint32_t inverse;
  int32_t tile_rows;   // a multiple of the rows that warps take at once, times `apart`
  int32_t apart;       // a power of two: rows of one warp, so that they lie in different banks
  int64_t mask_ahead;  // bytes to a tile whose mask is brought to L2
  bool cuts_sectors;
};

// Replaces scores by their weights and returns this lane's sum of them.
template <int most, class Weight>
ODDTILE_DEVICE float weigh(float (&value)[most], const Weight& weight) {
  float sum = value[0] = weight(value[0]);
  ODDTILE_UNROLL
  for (int i = 1; i < most; ++i) sum += value[i] = weight(value[i]);
  return sum;
}

// One row from one place in shared memory to another, by `lanes` lanes of which this one is number
// `index`. Each lane has at least `least` columns, and at most `most`. Returns 1 / sum.
template <class T, int lanes, int most, int least>
ODDTILE_DEVICE float normalise(const T* row, T* result, int32_t columns, int32_t index) {
  const int32_t left = columns - index;
  row += index;
  result += index;
  float value[most];
  float max = kNegativeInfinity;
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    value[i] = kNegativeInfinity;
    if (i < least || i * lanes < left) value[i] = to_float(row[i * lanes]);
    max = maximum(max, value[i]);
  }
  const RowFrame frame = frame_at(reduce_lanes<Maximum, lanes>(max), kLog2E);
  const float own = vote_any(takes_difference<T>(frame)) ? weigh(value, RowWeights(frame))
                                                         : weigh(value, FusedWeights(frame));
  // NaN in the rows that are to become NaN: the sum of any other is about 1 at least.
  const float scale = reciprocal(reduce_lanes<Sum, lanes>(own));
  ODDTILE_UNROLL
  for (int i = 0; i < most; ++i) {
    if (i < least || i * lanes < left) result[i * lanes] = from_float<T>(value[i] * scale);
  }
  return scale;
}

// Hidden columns of a row without a finite scale become +0. In any other their weights are.
template <class T, int lanes>
ODDTILE_DEVICE void clear_hidden(T* result, Global<const uint8_t> mask, int32_t columns,
                                 int32_t index, float scale) {
  if (magnitude(scale) < -kNegativeInfinity) return;
  for (int32_t c = index; c < columns; c += lanes) {
    if (load(mask, c) == 0) result[c] = from_float<T>(0.0f);
  }
}

// Brings this lane's line of a later tile's mask to L2: whoever takes that tile reads its mask
// before anything else and would wait for memory twice.
template <class T>
ODDTILE_DEVICE void prefetch_mask(const TileParameters<T>& p, int64_t first, int32_t bytes) {
  constexpr int32_t kLine = 128;
  const int64_t at = first + p.mask_ahead + thread() * kLine;
  const bool exists = thread() * kLine < bytes && at <= (p.rows - 1) * p.stride;
  if (exists) prefetch(p.mask, at);
}

// The rows of a tile that a warp takes at once, from `top` on: `apart` rows from one to the next.
template <class T, int lanes, int most, int least, bool masked>
ODDTILE_DEVICE void normalise_rows(const TileParameters<T>& p, const T* values, T* results,
                                   Global<const uint8_t> mask, int32_t top, int32_t rows) {
  const int32_t index = thread() % lanes;
  const int32_t mine = top + lane() / lanes * p.apart;
  // A warp's lanes stay together: those beyond the last row have no columns.
  const int32_t at = (least > 0 || mine < rows ? mine : 0) * p.stride;
  const int32_t columns = least > 0 || mine < rows ? p.columns : 0;
  const float scale = normalise<T, lanes, most, least>(values + at, results + at, columns, index);
  if constexpr (masked) clear_hidden<T, lanes>(results + at, mask + at, columns, index, scale);
}

// Eight blocks on a multiprocessor: more of them at less registers each are slower.
template <class T, int lanes, int most, int least, bool masked>
ODDTILE_KERNEL(kStagingThreads, 8)
softmax_of_tiles(TileParameters<T> p) {
  constexpr int32_t kTogether = 32 / lanes;  // rows of a warp
  const int64_t first_row = block() * p.tile_rows;
  const int64_t rows_left = p.rows - first_row;
  const int32_t rows = rows_left < p.tile_rows ? int32_t(rows_left) : p.tile_rows;
  const int64_t first = first_row * p.stride;
  const int32_t count = (rows - 1) * p.stride + p.columns;
  const Global<T> y = p.y + first;
  const Global<const uint8_t> mask = masked ? p.mask + first : p.mask;
  std::byte* const memory = shared_memory();
  const VectorRun<const T> run(p.x + first, count);
  if constexpr (masked) {
    prefetch_mask(p, first, count);
    stage_visible(memory, run, mask);
  } else {
    stage_in(memory, run);
  }
  // Not before: what the L2 drops again before the rows are written is of no use.
  const bool by_line = p.stride * int32_t(sizeof(T)) < 128;
  for (int32_t r = thread(); p.cuts_sectors && r < rows; r += kStagingThreads) {
    prefetch_cut_sectors(y + r * p.stride, p.columns, p.stride, by_line);
  }
  const int32_t bytes = staged_bytes(p.tile_rows * p.stride * int32_t(sizeof(T)));
  const T* const values = run.template place_in<const T>(memory);
  T* const results = VectorRun<T>(y, count).template place_in<T>(memory + bytes);
  sync_block();

  for (int32_t group = warp(); group < p.tile_rows / kTogether; group += kStagingThreads / 32) {
    // `apart` groups of neighbouring rows, then those behind them.
    const int32_t within = group & (p.apart - 1);
    const int32_t top = (group - within) * kTogether + within;
    if (top + (kTogether - 1) * p.apart < rows) {
      normalise_rows<T, lanes, most, least, masked>(p, values, results, mask, top, rows);
    } else if (top < rows) {
      normalise_rows<T, lanes, most, 0, masked>(p, values, results, mask, top, rows);
    }
  }
  sync_block();
  const bool dense = p.stride == p.columns;
  stage_out<T>(
      y, results,
      dense ? StagedRows{1, count, count, 0} : StagedRows{rows, p.columns, p.stride, p.inverse});
}

}  // namespace oddtile::ODDTILE_MACHINE
