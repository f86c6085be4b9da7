// The form of the fused softmax for short fp32 rows that start anywhere: lanes take elements, not
// vectors, so that no row has a frame or an end within a vector, however x and y lie.
//
// A warp's lanes read neighbouring elements, up to 128 bytes at once. What vectors would save of
// instructions, frames and ends cost again in rows of few vectors (README.md, "Words").
#pragma once

#include "kernels/tile/cut_sectors.cuh"
#include "kernels/tile/row_reduction.cuh"

namespace oddtile::ODDTILE_MACHINE {

struct WordRows {
  Global<const float> x;
  Global<float> y;
  int64_t x_row_stride;
  int64_t y_row_stride;
  int64_t rows;
  int32_t columns;
  bool cuts_sectors;
};

// What this lane holds of `rows` rows, one behind the other, which `lanes` lanes share. Of each row
// a lane has at least `least` columns, and at most `most`.
template <int lanes, int most, int least, int rows>
struct WordsOfRows {
  float value[rows][most];
  int32_t exist;  // rows; others are beyond the last, and only their reductions take place
  int32_t left;   // columns from this lane's first one on

  ODDTILE_DEVICE bool holds(int r, int i) const {
    return r < exist && (i < least || i * lanes < left);
  }

  // All loads are under way before the first is needed.
  ODDTILE_DEVICE void load_from(Global<const float> x, int64_t stride) {
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      ODDTILE_UNROLL
      for (int i = 0; i < most; ++i) {
        value[r][i] = holds(r, i) ? load(x + r * stride, i * lanes) : kNegativeInfinity;
      }
    }
  }

  // Combines the values of each row over its lanes; rows do not wait for one another.
  template <class Operation>
  static ODDTILE_DEVICE void reduce(float (&values)[rows]) {
    ODDTILE_UNROLL
    for (int32_t step = 1; step < lanes; step *= 2) {
      ODDTILE_UNROLL
      for (float& one : values) one = Operation::combine(one, shuffle_xor(one, step));
    }
  }

  ODDTILE_DEVICE void normalise() {
    float max[rows], sum[rows];
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      max[r] = value[r][0];
      ODDTILE_UNROLL
      for (int i = 1; i < most; ++i) max[r] = maximum(max[r], value[r][i]);
    }
    reduce<Maximum>(max);
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      sum[r] = 0.0f;
      // The difference form at any maximum, as few rows take it: a frame would cost a branch.
      ODDTILE_UNROLL
      for (float& it : value[r]) sum[r] += it = exp2_approx((it - max[r]) * kLog2E);
    }
    reduce<Sum>(sum);
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      // NaN in the rows that are to become NaN: the sum of any other is about 1 at least.
      const float scale = reciprocal(sum[r]);
      ODDTILE_UNROLL
      for (float& weight : value[r]) weight *= scale;
    }
  }

  ODDTILE_DEVICE void store_to(Global<float> y, int64_t stride) const {
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) {
      ODDTILE_UNROLL
      for (int i = 0; i < most; ++i) {
        if (holds(r, i)) store(y + r * stride, i * lanes, value[r][i]);
      }
    }
  }
};

// All lanes that a multiprocessor can have are there, or half of them with two rows each.
template <int threads_of_block, int lanes, int most, int least, int rows>
ODDTILE_KERNEL(threads_of_block, 2048 / rows / threads_of_block)
softmax_of_words(WordRows p) {
  const auto index = int32_t(uint32_t(thread()) % lanes);
  const int64_t group = block() * (threads_of_block / lanes) + uint32_t(thread()) / lanes;
  const int64_t left = p.rows - group * rows;
  // Nothing behind the last row is computed with: the stride of one row may be anything.
  const int64_t first = left > 0 ? group * rows : 0;
  const int64_t x_first = first * p.x_row_stride, y_first = first * p.y_row_stride;
  WordsOfRows<lanes, most, least, rows> mine;
  mine.exist = int32_t(left < rows ? left : rows);
  mine.left = p.columns - index;
  if (p.cuts_sectors && index < mine.exist) {
    prefetch_cut_sectors(p.y + (y_first + index * p.y_row_stride), p.columns, p.y_row_stride,
                         false);
  }
  mine.load_from(p.x + (x_first + index), p.x_row_stride);
  mine.normalise();
  mine.store_to(p.y + (y_first + index), p.y_row_stride);
}

}  // namespace oddtile::ODDTILE_MACHINE
