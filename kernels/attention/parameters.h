// What an attention kernel is told: the problem of kernels.h with typed pointers and the scale
// split so that the kernel needs no special case.
#pragma once

#include <cstdint>

#include "kernels/api/kernels.h"
#include "kernels/base/bits.h"
#include "kernels/dialect/global.h"

namespace oddtile {

template <class T>
struct StridedTensor {
  Global<T> data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
  bool aligned;  // every row of every head and batch starts on a 16-byte boundary
};

struct AttentionMask {
  Global<const uint8_t> data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
  int64_t column_stride;
};

struct LseTensor {
  Global<float> data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
};

// scale = multiplier * (c / log2 e): raw scores are multiplied by `multiplier`, a power of two with
// the sign of the scale (1 for an ordinary scale, 0 for scale 0), and exponents are scores * c.
struct ScoreScale {
  float multiplier;
  float c;  // positive, normal
};
ScoreScale split_scale(float scale);

template <class T>
struct AttentionParameters {
  StridedTensor<const T> q;
  StridedTensor<const T> k;
  StridedTensor<const T> v;
  StridedTensor<T> o;
  LseTensor lse;
  Global<const int32_t> key_length;
  AttentionMask mask;
  ScoreScale scale;
  int64_t band_low;  // clamped to +-2^61
  int64_t band_high;
  bool bottom_right;
  int32_t head_dim;
  int64_t batch;
  int64_t heads_q;
  int64_t group;  // query heads per kv head
  int64_t seq_q;
  int64_t seq_k;
  int64_t row_tiles;  // of the configuration: ceil(seq_q / tile rows)
};

// Fills everything but row_tiles. The problem must be valid (check_attention).
template <class T>
AttentionParameters<T> attention_parameters(const oddtile_attention_problem& problem);

// The contract of kernels.h: oddtile_ok or the first promise that the caller broke.
oddtile_status check_attention(const oddtile_attention_problem& problem);

}  // namespace oddtile
