#include "properties/search/emulated.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/base/bits.h"
#include "kernels/base/random.h"
#include "oracles/bounds/emulated_kernels.h"

namespace oddtile::properties {
namespace {

using oracles::emulation::Row;
using oracles::emulation::Variant;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One lane adds a whole row; the ceiling of a profile allows that up to here.
constexpr int64_t kOneLaneKeys = 1000;
constexpr int32_t kWholeRow = 1024;  // tile of the variants that keep a row in one step

float load(const void* data, oddtile_dtype dtype, int64_t index) {
  if (dtype == oddtile_fp32) return static_cast<const float*>(data)[index];
  const uint16_t bits = static_cast<const uint16_t*>(data)[index];
  return dtype == oddtile_fp16 ? half_to_float({bits}) : bfloat16_to_float({bits});
}

// The value is one of the type's already, so that nothing is rounded here.
void store(void* data, oddtile_dtype dtype, int64_t index, double value) {
  const float single = float(value);
  if (dtype == oddtile_fp32) {
    static_cast<float*>(data)[index] = single;
  } else {
    static_cast<uint16_t*>(data)[index] =
        dtype == oddtile_fp16 ? float_to_half(single).bits : float_to_bfloat16(single).bits;
  }
}

// ---- softmax ----

void softmax_row(const oddtile_softmax_problem& p, int64_t row, const Variant& variant,
                 uint64_t seed) {
  std::vector<float> live;
  std::vector<int64_t> visible;  // its columns
  std::vector<uint8_t> is_live;
  bool bad = false;
  for (int64_t c = 0; c < p.columns; ++c) {  // all is read before anything is written: y may be x
    if (p.mask != nullptr && p.mask[row * p.mask_row_stride + c] == 0) continue;
    const float x = load(p.x, p.dtype, row * p.x_row_stride + c);
    visible.push_back(c);
    is_live.push_back(x > -kInfinity);
    if (x > -kInfinity) live.push_back(x);
    bad |= std::isnan(x) || x == kInfinity;
  }
  bad |= live.empty();
  std::vector<double> weights;
  if (!bad) weights = oracles::emulation::softmax(live, variant, seed);
  const int64_t first = row * p.y_row_stride;
  for (int64_t c = 0; p.mask != nullptr && c < p.columns; ++c) store(p.y, p.dtype, first + c, 0.0);
  for (size_t i = 0, next = 0; i < visible.size(); ++i) {
    const double weight = bad ? double(kNan) : is_live[i] ? weights[next++] : 0.0;
    store(p.y, p.dtype, first + visible[i], weight);
  }
}

// ---- attention ----

struct Head {
  const oddtile_attention_problem& p;
  int64_t b, h, kv_head, length;

  float q(int64_t i, int64_t x) const { return element(p.q, h, i, x); }
  float k(int64_t j, int64_t x) const { return element(p.k, kv_head, j, x); }
  float v(int64_t j, int64_t x) const { return element(p.v, kv_head, j, x); }
  float element(const oddtile_tensor& t, int64_t head, int64_t row, int64_t x) const {
    return load(t.data, p.dtype,
                b * t.batch_stride + head * t.head_stride + row * t.row_stride + x);
  }

  // The contract of kernels.h, word for word; 128 bits, so that no limit overflows.
  bool visible(int64_t i, int64_t j) const {
    if (j >= length) return false;
    const int64_t shift = p.anchor == oddtile_bottom_right ? length - p.seq_q : 0;
    const __int128 at = __int128(j) - i - shift;
    if (p.band_low != std::numeric_limits<int64_t>::min() && at < p.band_low) return false;
    if (p.band_high != std::numeric_limits<int64_t>::max() && at > p.band_high) return false;
    return p.mask == nullptr || p.mask[b * p.mask_batch_stride + h * p.mask_head_stride +
                                       i * p.mask_row_stride + j * p.mask_column_stride] != 0;
  }
};

// The class of a score by IEEE arithmetic on its terms: NaN, an infinity, or 0 for a number.
float score_class(const Head& head, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t x = 0; x < head.p.head_dim; ++x) {
    const float q = head.q(i, x), k = head.k(j, x);
    if (!std::isfinite(q) || !std::isfinite(k)) sum += q * k;
  }
  return sum == 0 ? 0 : sum * head.p.scale;
}

// What a column of V holds besides numbers: 0, an infinity, or NaN.
std::vector<float> column_classes(const Row& row) {
  std::vector<float> classes(row.v.empty() ? 0 : row.v[0].size(), 0.0f);
  for (const std::vector<float>& v : row.v)
    for (size_t c = 0; c < v.size(); ++c)
      if (!std::isfinite(v[c])) classes[c] += v[c];
  return classes;
}

void store_row(const Head& head, int64_t i, const std::vector<double>& o, double lse) {
  const oddtile_attention_problem& p = head.p;
  for (int64_t x = 0; x < p.head_dim; ++x)
    store(p.o.data, p.dtype,
          head.b * p.o.batch_stride + head.h * p.o.head_stride + i * p.o.row_stride + x,
          o[size_t(x)]);
  if (p.lse != nullptr)
    p.lse[head.b * p.lse_batch_stride + head.h * p.lse_head_stride + i * p.lse_row_stride] =
        float(lse);
}

void attention_row(const Head& head, int64_t i, const Variant& variant, uint64_t seed) {
  const int64_t columns = head.p.head_dim;
  Row row;
  row.scale = head.p.scale;
  for (int64_t x = 0; x < columns; ++x) row.q.push_back(head.q(i, x));
  for (int64_t j = 0; j < head.p.seq_k; ++j) {
    if (!head.visible(i, j)) continue;
    const float kind = score_class(head, i, j);
    if (std::isnan(kind) || kind == kInfinity)
      return store_row(head, i, std::vector<double>(size_t(columns), double(kNan)), double(kNan));
    if (kind == -kInfinity) continue;  // visible, but not live
    std::vector<float>&k = row.k.emplace_back(), &v = row.v.emplace_back();
    for (int64_t x = 0; x < columns; ++x) {
      k.push_back(head.k(j, x));
      v.push_back(head.v(j, x));
    }
  }
  if (row.k.empty())
    return store_row(head, i, std::vector<double>(size_t(columns), 0.0), -double(kInfinity));
  const std::vector<float> classes = column_classes(row);
  for (std::vector<float>& v : row.v)
    for (float& value : v)
      if (!std::isfinite(value)) value = 0;
  oracles::emulation::Result result = oracles::emulation::attention(row, variant, seed);
  for (size_t c = 0; c < classes.size(); ++c)
    if (classes[c] != 0) result.o[c] = double(classes[c]);
  store_row(head, i, result.o, result.lse);
}

// ---- the table ----

int64_t row_length(const oddtile_problem& problem) {
  return problem.kernel == oddtile_kernel_softmax ? problem.softmax.columns
                                                  : problem.attention.seq_k;
}

bool admits(const oddtile_problem& problem, int32_t id) {
  if (id < 0 || id >= kEmulatedVariants) return false;
  const Variant variant = emulated_variant(id, oddtile_fp16);
  const int64_t length = row_length(problem);
  if (variant.lanes == 1 && length > kOneLaneKeys) return false;
  return !variant.normalised || length <= kWholeRow;
}

bool offered(const oddtile_problem* problem) {
  if (problem == nullptr) return false;
  if (problem->kernel == oddtile_kernel_softmax) return true;
  return problem->kernel == oddtile_kernel_attention && problem->attention.dtype != oddtile_fp32;
}

int32_t configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  if (!offered(problem)) return 0;
  int32_t count = 0;
  for (int32_t id = 0; id < kEmulatedVariants && count < capacity; ++id)
    if (admits(*problem, id)) ids[count++] = id;
  return count;
}

oddtile_status describe(const oddtile_problem* problem, int32_t id, oddtile_profile* profile) {
  if (!offered(problem) || !admits(*problem, id)) return oddtile_bad_configuration;
  const oddtile_dtype dtype =
      problem->kernel == oddtile_kernel_softmax ? problem->softmax.dtype : problem->attention.dtype;
  *profile = emulated_variant(id, dtype).profile();
  fmt::format_to_n(profile->name, sizeof(profile->name) - 1, "variant {}", id);
  return oddtile_ok;
}

int64_t workspace_bytes(const oddtile_problem*, int32_t) {
  return 0;
}

oddtile_status add(const oddtile_vector_add_problem*, int32_t, void*, void*) {
  return oddtile_unsupported;
}

oddtile_status softmax(const oddtile_softmax_problem* p, int32_t id, void*, void*) {
  const Variant variant = emulated_variant(id, p->dtype);
  for (int64_t row = 0; row < p->rows; ++row) softmax_row(*p, row, variant, uint64_t(id));
  return oddtile_ok;
}

oddtile_status attention(const oddtile_attention_problem* p, int32_t id, void*, void*) {
  const Variant variant = emulated_variant(id, p->dtype);
  for (int64_t b = 0; b < p->batch; ++b) {
    const int64_t length =
        p->key_length == nullptr ? p->seq_k : std::clamp<int64_t>(p->key_length[b], 0, p->seq_k);
    for (int64_t h = 0; h < p->heads_q; ++h) {
      const Head head = {*p, b, h, h / (p->heads_q / p->heads_kv), length};
      for (int64_t i = 0; i < p->seq_q; ++i) attention_row(head, i, variant, uint64_t(id));
    }
  }
  return oddtile_ok;
}

const char* status_text(oddtile_status status) {
  return status == oddtile_ok ? "ok" : "not offered by the emulation";
}

}  // namespace

Variant emulated_variant(int32_t id, oddtile_dtype dtype) {
  Random random = Random(0x5EED).split(uint64_t(id));
  Variant variant = oracles::emulation::random_variant(random);
  variant.dtype = dtype;
  variant.flush = random.below(2) == 0;
  if (random.below(2) == 0) {
    if (variant.exp_error_sign == 0) variant.exp_error_sign = 1;
    variant.exp_error_turn = -0.5f - float(random.below(8));
  }
  return variant;
}

const oddtile_implementation& emulated() {
  static constexpr oddtile_implementation kTable = {
      .abi_version = ODDTILE_ABI_VERSION,
      .struct_size = sizeof(oddtile_implementation),
      .name = "emulated",
      .capabilities = uint64_t(oddtile_stores_lse | oddtile_any_stride | oddtile_any_head_size),
      .configurations = configurations,
      .describe = describe,
      .workspace_bytes = workspace_bytes,
      .vector_add = add,
      .softmax = softmax,
      .attention = attention,
      .status_text = status_text};
  return kTable;
}

}  // namespace oddtile::properties
