// Host side of attention that is the same on every machine: the argument checks of the contract and
// the translation of a problem into kernel parameters.
#include "kernels/api/arguments.h"

#include <cmath>
#include <initializer_list>

#include "kernels/attention/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kFarBand = int64_t(1) << 61;  // beyond any difference of positions
View view_of(const oddtile_tensor& tensor, int64_t batch, int64_t heads, int64_t rows,
             int64_t columns) {
  return {tensor.data,
          {batch, heads, rows, columns},
          {tensor.batch_stride, tensor.head_stride, tensor.row_stride, 1},
          2};
}

oddtile_status check_shape(const oddtile_attention_problem& p) {
  if (!is_dtype(p.dtype) || p.dtype == oddtile_fp32) return oddtile_bad_dtype;
  if (p.batch < 0 || p.seq_q < 0 || p.seq_k < 0 || p.heads_q < 1 || p.heads_kv < 1 ||
      p.heads_q % p.heads_kv != 0 || p.head_dim < 1 || p.head_dim > 256 ||
      enumeration_bits(p.anchor) > uint32_t(oddtile_bottom_right)) {
    return oddtile_bad_shape;
  }
  return std::isfinite(p.scale) ? oddtile_ok : oddtile_bad_scale;
}

// Whether every row starts on a 16-byte boundary; strides of single items do not matter.
bool rows_aligned(const View& view) {
  if (reinterpret_cast<uintptr_t>(view.data) % 16 != 0) return false;
  for (int d = 0; d < 3; ++d) {
    if (view.sizes[d] > 1 && view.strides[d] % 8 != 0) return false;
  }
  return true;
}

template <class T>
StridedTensor<T> strided(const oddtile_tensor& tensor, const View& view) {
  return {Global<T>(static_cast<T*>(tensor.data)), tensor.batch_stride, tensor.head_stride,
          tensor.row_stride, rows_aligned(view)};
}

// The views of the four tensors.
struct Views {
  View q, k, v, o;
};

Views views_of(const oddtile_attention_problem& p) {
  return {view_of(p.q, p.batch, p.heads_q, p.seq_q, p.head_dim),
          view_of(p.k, p.batch, p.heads_kv, p.seq_k, p.head_dim),
          view_of(p.v, p.batch, p.heads_kv, p.seq_k, p.head_dim),
          view_of(p.o, p.batch, p.heads_q, p.seq_q, p.head_dim)};
}

int64_t clamp_band(int64_t limit) {
  return limit < -kFarBand ? -kFarBand : (limit > kFarBand ? kFarBand : limit);
}

}  // namespace

oddtile_status check_attention(const oddtile_attention_problem& p) {
  if (const oddtile_status status = check_shape(p); status != oddtile_ok) return status;
  const auto [q, k, v, o] = views_of(p);
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
  const Views views = views_of(p);
  to.q = strided<const T>(p.q, views.q);
  to.k = strided<const T>(p.k, views.k);
  to.v = strided<const T>(p.v, views.v);
  to.o = strided<T>(p.o, views.o);
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
