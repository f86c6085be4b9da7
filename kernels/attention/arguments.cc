// Host side of attention that is the same on every machine: the argument checks of the contract and
// the translation of a problem into kernel parameters.
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include "kernels/attention/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kFarBand = int64_t(1) << 61;  // beyond any difference of positions
constexpr int64_t kMostElements = int64_t(1) << 50;

// Bytes that a strided (d0, d1, d2, inner) view may touch.
struct Extent {
  uintptr_t begin;
  uintptr_t end;
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};

struct View {
  const void* data;
  int64_t sizes[4];
  int64_t strides[4];
  int64_t element_bytes;

  bool empty() const { return sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0 || sizes[3] == 0; }

  Extent extent() const {
    int64_t low = 0, high = 0;
    for (int d = 0; d < 4; ++d) {
      const int64_t reach = (sizes[d] - 1) * strides[d];
      (reach < 0 ? low : high) += reach;
    }
    const auto origin = reinterpret_cast<uintptr_t>(data);
    return {origin + uintptr_t(low * element_bytes),
            origin + uintptr_t((high + 1) * element_bytes)};
  }

  bool misaligned() const { return reinterpret_cast<uintptr_t>(data) % uintptr_t(element_bytes); }

  bool too_large() const {
    int64_t reach = 1;
    for (int d = 0; d < 4; ++d) {
      int64_t product = 0;
      if (__builtin_mul_overflow(sizes[d], std::llabs(strides[d]), &product)) return true;
      if (__builtin_add_overflow(reach, product, &reach)) return true;
    }
    return reach > kMostElements;
  }

  // Sufficient for distinct addresses, and met by every nested layout: taken from the smallest
  // stride up, each stride steps over everything below it.
  bool overlaps_itself() const {
    bool used[4] = {};
    int64_t covered = 1;
    for (int round = 0; round < 4; ++round) {
      int next = -1;
      for (int d = 0; d < 4; ++d) {
        if (!used[d] && sizes[d] > 1 && (next < 0 || strides[d] < strides[next])) next = d;
      }
      if (next < 0) return false;
      used[next] = true;
      if (strides[next] < covered) return true;  // also 0 and negative
      covered += (sizes[next] - 1) * strides[next];
    }
    return false;
  }
};

View view_of(const oddtile_tensor& tensor, int64_t batch, int64_t heads, int64_t rows,
             int64_t columns) {
  return {tensor.data,
          {batch, heads, rows, columns},
          {tensor.batch_stride, tensor.head_stride, tensor.row_stride, 1},
          2};
}

oddtile_status check_shape(const oddtile_attention_problem& p) {
  if (p.dtype != oddtile_fp16 && p.dtype != oddtile_bf16) return oddtile_bad_dtype;
  if (p.batch < 0 || p.seq_q < 0 || p.seq_k < 0 || p.heads_q < 1 || p.heads_kv < 1 ||
      p.heads_q % p.heads_kv != 0 || p.head_dim < 1 || p.head_dim > 256 ||
      (p.anchor != oddtile_top_left && p.anchor != oddtile_bottom_right)) {
    return oddtile_bad_shape;
  }
  return std::isfinite(p.scale) ? oddtile_ok : oddtile_bad_scale;
}

template <class T>
bool rows_aligned(const T& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data) % 16 == 0 && tensor.batch_stride % 8 == 0 &&
         tensor.head_stride % 8 == 0 && tensor.row_stride % 8 == 0;
}

template <class T>
StridedTensor<T> strided(const oddtile_tensor& tensor) {
  return {Global<T>(static_cast<T*>(tensor.data)), tensor.batch_stride, tensor.head_stride,
          tensor.row_stride, rows_aligned(tensor)};
}

int64_t clamp_band(int64_t limit) {
  return limit < -kFarBand ? -kFarBand : (limit > kFarBand ? kFarBand : limit);
}

}  // namespace

oddtile_status check_attention(const oddtile_attention_problem& p) {
  if (const oddtile_status status = check_shape(p); status != oddtile_ok) return status;
  const View q = view_of(p.q, p.batch, p.heads_q, p.seq_q, p.head_dim);
  const View k = view_of(p.k, p.batch, p.heads_kv, p.seq_k, p.head_dim);
  const View v = view_of(p.v, p.batch, p.heads_kv, p.seq_k, p.head_dim);
  const View o = view_of(p.o, p.batch, p.heads_q, p.seq_q, p.head_dim);
  const View lse = {p.lse,
                    {p.batch, p.heads_q, p.seq_q, p.lse ? 1 : 0},
                    {p.lse_batch_stride, p.lse_head_stride, p.lse_row_stride, 1},
                    4};
  const View mask = {
      p.mask,
      {p.batch, p.heads_q, p.seq_q, p.mask ? p.seq_k : 0},
      {p.mask_batch_stride, p.mask_head_stride, p.mask_row_stride, p.mask_column_stride},
      1};
  const View lengths = {p.key_length, {1, 1, 1, p.key_length ? p.batch : 0}, {0, 0, 0, 1}, 4};
  const View* const inputs[] = {&q, &k, &v, &mask, &lengths};
  const View* const outputs[] = {&o, &lse};
  if (o.empty()) return oddtile_ok;  // nothing to write, so nothing is read either

  for (const View* view : {&q, &k, &v, &mask, &lengths, &o, &lse}) {
    if (view->empty()) continue;
    if (view->data == nullptr) return oddtile_null_pointer;
    if (view->too_large()) return oddtile_bad_shape;
    if (view->misaligned()) return oddtile_misaligned;
  }
  for (const View* output : outputs) {
    if (!output->empty() && output->overlaps_itself()) return oddtile_bad_stride;
  }
  for (const View* output : outputs) {
    if (output->empty()) continue;
    for (const View* input : inputs) {
      if (!input->empty() && output->extent().overlaps(input->extent())) return oddtile_overlap;
    }
  }
  if (!lse.empty() && o.extent().overlaps(lse.extent())) return oddtile_overlap;
  return oddtile_ok;
}

ScoreScale split_scale(float scale) {
  constexpr double kLog2E = 1.4426950408889634074;
  if (scale == 0.0f) return {0.0f, 1.0f};  // 0 * score keeps the class of an infinite score
  const float size = std::fabs(scale);
  const int exponent = std::ilogb(size);
  // Outside this range c alone would lose bits (subnormal) or overflow.
  const int moved = exponent < -64 || exponent > 64 ? exponent : 0;
  return {std::copysign(std::ldexp(1.0f, moved), scale),
          float(double(std::ldexp(size, -moved)) * kLog2E)};
}

template <class T>
AttentionParameters<T> attention_parameters(const oddtile_attention_problem& p) {
  AttentionParameters<T> to;
  to.q = strided<const T>(p.q);
  to.k = strided<const T>(p.k);
  to.v = strided<const T>(p.v);
  to.o = strided<T>(p.o);
  to.lse = {Global<float>(p.lse), p.lse_batch_stride, p.lse_head_stride, p.lse_row_stride};
  to.key_length = Global<const int32_t>(p.key_length);
  to.mask = {Global<const uint8_t>(p.mask), p.mask_batch_stride, p.mask_head_stride,
             p.mask_row_stride, p.mask_column_stride};
  to.scale = split_scale(p.scale);
  to.band_low = clamp_band(p.band_low);
  to.band_high = clamp_band(p.band_high);
  to.bottom_right = p.anchor == oddtile_bottom_right;
  to.head_dim = int32_t(p.head_dim);
  to.batch = p.batch;
  to.heads_q = p.heads_q;
  to.group = p.heads_q / p.heads_kv;
  to.seq_q = p.seq_q;
  to.seq_k = p.seq_k;
  to.row_tiles = 0;
  return to;
}

template AttentionParameters<Half> attention_parameters(const oddtile_attention_problem&);
template AttentionParameters<Bfloat16> attention_parameters(const oddtile_attention_problem&);

}  // namespace oddtile
