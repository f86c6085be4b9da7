#include "oracles/exact/attention.h"

#include <algorithm>
#include <cmath>

#include "oracles/case/elements.h"
#include "oracles/exact/formulae.h"
#include "oracles/exact/read.h"

namespace oddtile::oracles {
namespace {

const Tensor& tensor_of(const Workload& workload, Role role) {
  for (const Tensor& tensor : workload.tensors)
    if (tensor.role == role) return tensor;
  ODDTILE_ASSERT(false);
}

const Tensor* mask_of(const Workload& workload) {
  for (const Tensor& tensor : workload.tensors)
    if (tensor.role == Role::mask) return &tensor;
  return nullptr;
}

uint8_t special_bits(double v) {
  if (std::isnan(v)) return kLiveNan;
  if (std::isinf(v)) return v > 0 ? kLivePlusInfinity : kLiveMinusInfinity;
  return 0;
}

// What non-finite V decides, column by column. V hidden by band or mask has to be finite, and a
// visible key without weight meets V as 0 * V: neither is promised where V is not finite.
void classify_columns(const KeysAndValues& kv, AttentionRow& out) {
  out.column.clear();
  for (const int64_t j : kv.special_keys) {
    const bool live = std::binary_search(out.keys.begin(), out.keys.end(), j);
    out.column.resize(size_t(kv.head_dim), 0);
    for (int64_t c = 0; c < kv.head_dim; ++c)
      if (const uint8_t bits = kv.v_special[size_t(j * kv.head_dim + c)]; bits != 0)
        out.column[size_t(c)] |= live ? bits : uint8_t(kDeadNonFinite);
  }
}

// An early key counts with weight 1 before it is rescaled away, so plain sums decide the domain.
void sum_values(const KeysAndValues& kv, std::span<const int64_t> visible, AttentionRow& out) {
  out.v_magnitude.clear();
  if (kv.v_max * double(visible.size()) < 0x1p118) return;
  out.v_magnitude.assign(size_t(kv.head_dim), 0.0);
  for (const int64_t j : visible)
    for (int64_t c = 0; c < kv.head_dim; ++c)
      out.v_magnitude[size_t(c)] += std::fabs(kv.v[size_t(j * kv.head_dim + c)]);
}

}  // namespace

DoubleErrors double_errors(int64_t head_dim, int64_t live, double largest_magnitude, double max,
                           double log_sum, double lse) {
  constexpr double e = 0x1p-53;
  // A sum of k terms in any order, fused or not (Higham, Accuracy and Stability, 3.1).
  const auto gamma = [](int64_t k) { return double(k) * e / (1 - double(k) * e); };
  const double score = gamma(head_dim + 1) * largest_magnitude;
  const double size = std::fabs(max) + 2 * log_sum + 2 * std::fabs(lse);
  // A weight that is not 0 has |s - m| < 746; exp errs by at most 4 e.
  return {std::expm1(2 * score + double(1512 + live) * e), score + (double(750 + live) + size) * e,
          gamma(live + 8)};
}

bool any_subnormal(const double* x, int64_t n, double smallest_normal) {
  bool any = false;  // without a branch: vector code
  for (int64_t i = 0; i < n; ++i) any |= x[i] != 0 && std::fabs(x[i]) < smallest_normal;
  return any;
}

void attention_row(const KeysAndValues& kv, std::span<const double> q, double scale,
                   std::span<const int64_t> visible, Precision precision, AttentionRow& out) {
  if (precision == Precision::wide)
    formulae::attention_wide(kv, q, scale, visible, out);
  else
    formulae::attention<double>(kv, q, scale, visible, out);
  out.errors = {};
  if (precision == Precision::standard && out.row_class == RowClass::live)
    out.errors = double_errors(kv.head_dim, int64_t(out.keys.size()),
                               *std::max_element(out.magnitude.begin(), out.magnitude.end()),
                               out.max, out.log_sum, out.lse);
  classify_columns(kv, out);
  sum_values(kv, visible, out);
}

AttentionOracle::AttentionOracle(const Workload& workload)
    : workload_(workload),
      subject_(std::get<AttentionCase>(workload.subject.problem)),
      q_(&tensor_of(workload, Role::q)),
      mask_(mask_of(workload)) {
  length_.assign(size_t(subject_.batch), subject_.seq_k);
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.role != Role::key_length) continue;
    const auto bytes = stored_bytes(workload, tensor);
    for (int64_t b = 0; b < subject_.batch; ++b) {
      const int64_t length = read_at<int32_t>(bytes, tensor.index(0, 0, 0, b));
      length_[size_t(b)] = std::clamp<int64_t>(length, 0, subject_.seq_k);
    }
  }
}

int64_t AttentionOracle::shift(int64_t b) const {
  return subject_.anchor == oddtile_bottom_right ? length_[size_t(b)] - subject_.seq_q : 0;
}

KeyRange AttentionOracle::range(int64_t b, int64_t i) const {
  // Lengths stay below 2^41, so limits clamped to 2^60 mean the same and cannot overflow.
  constexpr int64_t far = int64_t(1) << 60;
  const int64_t diagonal = i + shift(b);
  const int64_t low = diagonal + std::clamp(subject_.band_low, -far, far);
  const int64_t high = diagonal + std::clamp(subject_.band_high, -far, far);
  const int64_t begin = std::max<int64_t>(0, low);
  const int64_t end = std::min(length_[size_t(b)], high + 1);
  return {begin, std::max(begin, end)};
}

KeysAndValues AttentionOracle::load(int64_t b, int64_t kv_head) const {
  const Tensor& k = tensor_of(workload_, Role::k);
  const Tensor& v = tensor_of(workload_, Role::v);
  KeysAndValues kv;
  // What lies beyond the key length is never read.
  kv.keys = length_[size_t(b)];
  kv.head_dim = subject_.head_dim;
  kv.smallest_normal = smallest_normal_of(subject_.dtype);
  kv.k.resize(size_t(kv.keys * kv.head_dim));
  kv.v.resize(size_t(kv.keys * kv.head_dim));
  for (int64_t j = 0; j < kv.keys; ++j) {
    read_row(stored_bytes(workload_, k), k, b, kv_head, j, &kv.k[size_t(j * kv.head_dim)]);
    kv.k_subnormal |=
        any_subnormal(&kv.k[size_t(j * kv.head_dim)], kv.head_dim, kv.smallest_normal);
    double* row = &kv.v[size_t(j * kv.head_dim)];
    read_row(stored_bytes(workload_, v), v, b, kv_head, j, row);
    for (int64_t c = 0; c < kv.head_dim; ++c) {
      const uint8_t bits = special_bits(row[c]);
      if (bits == 0) {
        kv.v_max = std::max(kv.v_max, std::fabs(row[c]));
        continue;
      }
      kv.v_special.resize(kv.v.size(), 0);
      kv.v_special[size_t(j * kv.head_dim + c)] = bits;
      if (kv.special_keys.empty() || kv.special_keys.back() != j) kv.special_keys.push_back(j);
      row[c] = 0;
    }
  }
  return kv;
}

bool AttentionOracle::mask(int64_t b, int64_t head, int64_t i, KeyRange keys, uint8_t* out) const {
  if (mask_ == nullptr) return false;
  read_bytes(stored_bytes(workload_, *mask_), *mask_, b, head, i, keys.begin, keys.end - keys.begin,
             out);
  return true;
}

void AttentionOracle::query(int64_t b, int64_t head, int64_t i, double* out) const {
  read_row(stored_bytes(workload_, *q_), *q_, b, head, i, out);
}

void AttentionOracle::row(const KeysAndValues& kv, int64_t b, int64_t head, int64_t i,
                          Precision precision, AttentionRow& out) const {
  thread_local std::vector<int64_t> visible;
  thread_local std::vector<uint8_t> bytes;
  thread_local std::vector<double> q;
  const KeyRange keys = range(b, i);
  bytes.resize(size_t(keys.end - keys.begin));
  const bool masked = mask(b, head, i, keys, bytes.data());
  visible.clear();
  for (int64_t j = keys.begin; j < keys.end; ++j)
    if (!masked || bytes[size_t(j - keys.begin)] != 0) visible.push_back(j);
  q.resize(size_t(subject_.head_dim));
  query(b, head, i, q.data());
  attention_row(kv, q, subject_.scale, visible, precision, out);
}

}  // namespace oddtile::oracles
