// Kernels of the eager baseline beside its products: contiguous copies, and the softmax of
// materialised scores.
#pragma once

#include "kernels/attention/forward.cuh"
#include "kernels/attention/parameters.h"
#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/visibility.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kCopyThreads = 128;
inline constexpr int kRowsPerBlock = 4;  // of the softmax: one warp each
inline constexpr int kRowVector = 4;     // columns that a lane takes at once

// (batch, heads, rows, head_dim) in dense order from or to a strided tensor; head h of the dense
// side is head h / group of the strided side.
template <class T>
struct DenseCopy {
  StridedTensor<const T> from;       // gather: strided; scatter: `data` is dense, strides unused
  StridedTensor<T> to;               // scatter: strided; gather: `data` is dense, strides unused
  Global<const int32_t> key_length;  // gather: rows from there on become 0
  int64_t batch;
  int64_t heads;
  int64_t group;
  int64_t rows;
  int64_t columns;
};

struct DensePlace {
  int64_t batch, head, row, column;
};

template <class T>
ODDTILE_DEVICE bool dense_place(const DenseCopy<T>& p, int64_t index, DensePlace& place) {
  if (index >= p.batch * p.heads * p.rows * p.columns) return false;
  place = {index / p.columns / p.rows / p.heads, index / p.columns / p.rows % p.heads,
           index / p.columns % p.rows, index % p.columns};
  return true;
}

template <class T>
ODDTILE_DEVICE int64_t strided_index(const StridedTensor<T>& tensor, const DensePlace& place,
                                     int64_t group) {
  return place.batch * tensor.batch_stride + place.head / group * tensor.head_stride +
         place.row * tensor.row_stride + place.column;
}

template <class T>
ODDTILE_KERNEL(kCopyThreads, 1)
gather_kernel(const DenseCopy<T> p) {
  const int64_t index = block() * threads() + thread();
  DensePlace place;
  if (!dense_place(p, index, place)) return;
  const bool cleared = p.key_length && place.row >= load(p.key_length, place.batch);
  store(p.to.data, index,
        cleared ? T{0} : load(p.from.data, strided_index(p.from, place, p.group)));
}

template <class T>
ODDTILE_KERNEL(kCopyThreads, 1)
scatter_kernel(const DenseCopy<T> p) {
  const int64_t index = block() * threads() + thread();
  DensePlace place;
  if (!dense_place(p, index, place)) return;
  store(p.to.data, strided_index(p.to, place, 1), load(p.from.data, index));
}

template <class T>
struct MaterialisedSoftmax {
  AttentionParameters<T> attention;
  Global<const float> scores;  // (batch * heads_q * seq_q) rows of row_stride
  Global<T> weights;           // the same shape
  int64_t row_stride;          // seq_k rounded up to a multiple of 8
};

// One row of scores as a warp sees it.
template <class T>
struct ScoreRow {
  const MaterialisedSoftmax<T>& p;
  int64_t row;
  Range keys;        // that the band leaves visible
  int64_t mask_row;  // offset into the mask

  ODDTILE_DEVICE bool visible(int64_t key) const {
    if (key < keys.begin || key >= keys.end) return false;
    const AttentionMask& mask = p.attention.mask;
    return !mask.data || load(mask.data, mask_row + key * mask.column_stride) != 0;
  }

  // Calls action(vector number, scores with -inf where hidden) for the lane's share of the row.
  template <class Action>
  ODDTILE_DEVICE void for_each_vector(Action&& action) const {
    using Scores = Vector<float, kRowVector>;
    const int64_t first_vector = row * p.row_stride / kRowVector;
    for (int64_t v = lane(); v * kRowVector < p.attention.seq_k; v += 32) {
      Scores scores = load_as<Scores>(p.scores, first_vector + v);
      for (int i = 0; i < kRowVector; ++i) {
        scores.element[i] = visible(v * kRowVector + i)
                                ? scores.element[i] * p.attention.scale.multiplier
                                : kNegativeInfinity;
      }
      action(first_vector + v, scores);
    }
  }
};

// weights = softmax(scale * scores restricted to visible keys), normalised, then rounded; LSE.
template <class T>
ODDTILE_KERNEL(32 * kRowsPerBlock, 1)
materialised_softmax(const MaterialisedSoftmax<T> p) {
  const AttentionParameters<T>& a = p.attention;
  const int64_t row = block() * kRowsPerBlock + warp();
  if (row >= a.batch * a.heads_q * a.seq_q) return;
  const int64_t query = row % a.seq_q;
  const int64_t head = row / a.seq_q % a.heads_q;
  const int64_t batch = row / a.seq_q / a.heads_q;
  const ScoreRow<T> scores = {
      p, row, keys_of_queries(band_of(a, key_length_of(a, batch)), query, query),
      batch * a.mask.batch_stride + head * a.mask.head_stride + query * a.mask.row_stride};
  float max = kNegativeInfinity;
  scores.for_each_vector([&](int64_t, const auto& vector) {
    for (const float s : vector.element) max = maximum(max, s);
  });
  for (int step = 16; step > 0; step /= 2) max = maximum(max, shuffle_xor(max, step));
  const RowFrame frame = frame_at(max, a.scale.c);
  const bool difference = takes_difference(frame);
  float sum = 0.0f;
  scores.for_each_vector([&](int64_t, const auto& vector) {
    for (const float s : vector.element) sum += weight_in(frame, s, a.scale.c, difference);
  });
  for (int step = 16; step > 0; step /= 2) sum += shuffle_xor(sum, step);
  const float inverse = sum == 0.0f ? 0.0f : divide(1.0f, sum);
  scores.for_each_vector([&](int64_t index, const auto& vector) {
    Vector<T, kRowVector> weights;
    for (int i = 0; i < kRowVector; ++i) {
      const float weight = weight_in(frame, vector.element[i], a.scale.c, difference);
      weights.element[i] = from_float<T>(weight * inverse);
    }
    store_as<Vector<T, kRowVector>>(p.weights, index, weights);
  });
  if (a.lse.data && lane() == 0) {
    store(a.lse.data,
          batch * a.lse.batch_stride + head * a.lse.head_stride + query * a.lse.row_stride,
          sum == 0.0f ? kNegativeInfinity : log_sum(frame, sum));
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
