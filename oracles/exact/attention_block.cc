#include "oracles/exact/attention_block.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "kernels/base/assert.h"

namespace oddtile::oracles {
namespace {

template <class Number>
using RowMajor = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Number>
using Matrix = Eigen::Map<RowMajor<Number>>;
template <class Number>
using ConstMatrix = Eigen::Map<const RowMajor<Number>>;
using Strip = Eigen::Map<Eigen::ArrayXd>;

// exp below e^-708 is subnormal, where Eigen's stays at its smallest: such weights are 0 here.
constexpr double kSmallestExponent = -708;
constexpr int64_t kStrip = 256;  // elements that stay in the first-level cache
using Local = Eigen::Array<double, Eigen::Dynamic, 1, 0, kStrip, 1>;  // on the stack, aligned

bool finite(const double* row, int64_t n) {
  for (int64_t x = 0; x < n; ++x)
    if (!std::isfinite(row[x])) return false;
  return true;
}

double largest(const double* row, int64_t n) {
  return n == 0 ? 0 : Eigen::Map<const Eigen::ArrayXd>(row, n).abs().maxCoeff();
}

// |x| as A_j counts it: 0, or `least` at least. Both are exact in fp32 for 16-bit numbers.
template <class Number>
void sizes(const double* x, int64_t n, double least, Number* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = Number(x[i] == 0 ? 0 : std::max(std::fabs(x[i]), least));
}

}  // namespace

double fp32_sum_error(int64_t k) {
  const double ku = double(k) * 0x1p-24;
  return ku < 0.5 ? ku / (1 - ku) : 1;
}

BlockOperands::BlockOperands(const KeysAndValues& keys_and_values, bool estimates)
    : kv(keys_and_values) {
  const int64_t d = kv.head_dim;
  plain = kv.special_keys.empty() && kv.v_max * double(kv.keys) < 0x1p118;
  if (!plain) return;
  for (int64_t j = 0; j < kv.keys; ++j) {
    const double* k = &kv.k[size_t(j * d)];
    if (finite(k, d))
      k_max = std::max(k_max, largest(k, d));
    else
      bad_keys.push_back(j);
  }
  const auto size = Eigen::Index(kv.keys * d);
  if (!estimates) {
    k_abs.resize(size_t(size));
    sizes(kv.k.data(), size, kv.smallest_normal, k_abs.data());
    return;
  }
  k_size.resize(size_t(size));
  v_size.resize(size_t(size));
  sizes(kv.k.data(), size, kv.smallest_normal, k_size.data());
  Eigen::Map<Eigen::ArrayXf>(v_size.data(), size) =
      Eigen::Map<const Eigen::ArrayXd>(kv.v.data(), size).abs().cast<float>();
  for (const int64_t j : bad_keys) std::fill_n(&k_size[size_t(j * d)], d, 0.0f);
  v_largest.assign(size_t(d), 0.0);
  Eigen::Map<Eigen::ArrayXd> most(v_largest.data(), d);
  for (int64_t j = 0; j < kv.keys; ++j)
    most = most.max(Eigen::Map<const Eigen::ArrayXd>(&kv.v[size_t(j * d)], d).abs());
}

int64_t AttentionBlock::rows_at_once(int64_t keys) {
  return std::clamp<int64_t>((1 << 17) / std::max<int64_t>(keys, 1), 4, 64);
}

void AttentionBlock::prepare(const AttentionOracle& oracle, const BlockOperands& operands,
                             int64_t b, std::span<const RowId> rows) {
  head_dim_ = operands.kv.head_dim;
  scale_ = oracle.subject().scale;
  rows_.assign(rows.size(), BlockRow());
  q_.resize(rows.size() * size_t(head_dim_));
  int64_t first = INT64_MAX, last = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    BlockRow& row = rows_[r];
    row.keys = oracle.range(b, rows[r].i);
    double* q = &q_[r * size_t(head_dim_)];
    oracle.query(b, rows[r].head, rows[r].i, q);
    row.plain = operands.plain && row.keys.end - row.keys.begin >= 2 && finite(q, head_dim_);
    if (row.plain) {
      // Far inside the domain of the bound, and finite in fp32.
      const double products = largest(q, head_dim_) * operands.k_max * double(head_dim_);
      row.plain = products < 0x1p100 && products * std::fabs(scale_) < 0x1p125;
    }
    if (row.plain) {
      first = std::min(first, row.keys.begin);
      last = std::max(last, row.keys.end);
    } else {
      std::fill_n(q, head_dim_, 0.0);
    }
  }
  first_ = first;
  width_ = std::max<int64_t>(0, last - first);
}

bool AttentionBlock::hide(const AttentionOracle& oracle, const BlockOperands& operands, int64_t b,
                          RowId id, int64_t r) {
  BlockRow& row = rows_[size_t(r)];
  double* s = &scores_[size_t(r * width_)];
  const int64_t begin = row.keys.begin - first_, length = row.keys.end - row.keys.begin;
  std::fill_n(s, begin, -kNoScore);
  std::fill(s + begin + length, s + width_, -kNoScore);
  row.live = length;
  Strip(s + begin, length) *= scale_;
  mask_.resize(size_t(length));
  const bool masked = oracle.mask(b, id.head, id.i, row.keys, mask_.data());
  for (auto bad =
           std::lower_bound(operands.bad_keys.begin(), operands.bad_keys.end(), row.keys.begin);
       bad != operands.bad_keys.end() && *bad < row.keys.end; ++bad)
    if (!masked || mask_[size_t(*bad - row.keys.begin)] != 0) return false;
  if (masked) {
    row.live = 0;
    for (int64_t j = 0; j < length; ++j) {
      const bool see = mask_[size_t(j)] != 0;
      row.live += see;
      s[begin + j] = see ? s[begin + j] : -kNoScore;
    }
  }
  return row.live >= 2;
}

void AttentionBlock::exponentials(int64_t r) {
  BlockRow& row = rows_[size_t(r)];
  const int64_t begin = row.keys.begin - first_, length = row.keys.end - row.keys.begin;
  const double* scores = &scores_[size_t(r * width_ + begin)];
  double* weights = &weights_[size_t(r * width_)];
  std::fill_n(weights, begin, 0.0);
  std::fill(weights + begin + length, weights + width_, 0.0);
  weights += begin;
  row.max = Eigen::Map<const Eigen::ArrayXd>(scores, length).maxCoeff();
  double offsets = 0, sizes = 0, magnitudes = 0, lowest = 0;
  for (int64_t at = 0; at < length; at += kStrip) {
    const int64_t n = std::min(kStrip, length - at);
    Local offset = Eigen::Map<const Eigen::ArrayXd>(scores + at, n) - row.max;
    // Aligned: of others Eigen takes the ends with another exponential, and the last digits of a
    // weight would hang on where it lies in memory.
    const Local exponential = offset.max(kSmallestExponent).exp();
    Strip w(weights + at, n);
    // Apart from exp: Eigen selects one number at a time.
    for (int64_t j = 0; j < n; ++j) w[j] = offset[j] > kSmallestExponent ? exponential[j] : 0;
    row.sum += (w * 1).sum();  // an expression: the same order wherever it lies in memory
    if (!estimates_) continue;
    for (int64_t j = 0; j < n; ++j)
      lowest = std::min(lowest, offset[j] > -kNoScore ? offset[j] : 0.0);
    offset = offset.max(-1000.0);  // no 0 * inf where hidden
    offsets -= (w * offset).sum();
    sizes += (w * (offset + row.max).abs()).sum();
    const Eigen::Map<const Eigen::ArrayXf> products(
        &products_fp32_[size_t(r * width_ + begin + at)], n);
    magnitudes += (w * products.cast<double>()).sum();
    Eigen::Map<Eigen::ArrayXf>(&weights_fp32_[size_t(r * width_ + begin + at)], n) =
        w.cast<float>();
  }
  row.log_sum = std::log(row.sum);
  row.lse = row.max + row.log_sum;
  if (!estimates_) return;
  float* rounded = &weights_fp32_[size_t(r * width_)];
  std::fill_n(rounded, begin, 0.0f);
  std::fill(rounded + begin + length, rounded + width_, 0.0f);
  const Eigen::Map<const Eigen::ArrayXf> products(&products_fp32_[size_t(r * width_ + begin)],
                                                  length);
  const double scale = std::fabs(scale_);
  row.mean_offset = offsets / row.sum;
  row.mean_score = sizes / row.sum;
  row.largest_offset = -lowest;
  row.mean_magnitude = scale * magnitudes / row.sum;
  row.least_magnitude = scale * double(products.minCoeff());
  row.largest_magnitude = scale * double(products.maxCoeff());
}

void AttentionBlock::compute(const AttentionOracle& oracle, const BlockOperands& operands,
                             int64_t b, std::span<const RowId> rows, bool estimates) {
  estimates_ = estimates;
  prepare(oracle, operands, b, rows);
  if (width_ == 0) return;
  const auto count = Eigen::Index(rows.size());
  const Eigen::Index d = head_dim_, width = width_;
  const KeysAndValues& kv = operands.kv;
  scores_.resize(size_t(count * width));
  weights_.resize(size_t(count * width));
  const ConstMatrix<double> q(q_.data(), count, d);
  const ConstMatrix<double> k(kv.k.data() + first_ * d, width, d);
  Matrix<double>(scores_.data(), count, width).noalias() = q * k.transpose();
  if (estimates) {
    q_size_.resize(size_t(count * d));
    products_fp32_.resize(size_t(count * width));
    weights_fp32_.resize(size_t(count * width));
    sizes(q_.data(), count * d, kv.smallest_normal, q_size_.data());
    const ConstMatrix<float> k_size(operands.k_size.data() + first_ * d, width, d);
    Matrix<float>(products_fp32_.data(), count, width).noalias() =
        Matrix<float>(q_size_.data(), count, d) * k_size.transpose();
  } else {
    products_.resize(size_t(count * width));
    const ConstMatrix<double> k_abs(operands.k_abs.data() + first_ * d, width, d);
    q_abs_.resize(size_t(count * d));
    sizes(q_.data(), count * d, kv.smallest_normal, q_abs_.data());
    const ConstMatrix<double> q_abs(q_abs_.data(), count, d);
    Matrix<double>(products_.data(), count, width).noalias() = q_abs * k_abs.transpose();
  }
  for (int64_t r = 0; r < count; ++r) {
    BlockRow& row = rows_[size_t(r)];
    row.plain = row.plain && hide(oracle, operands, b, rows[size_t(r)], r);
    if (row.plain) {
      exponentials(r);
      continue;
    }
    std::fill_n(&weights_[size_t(r * width)], width, 0.0);
    if (estimates) std::fill_n(&weights_fp32_[size_t(r * width)], width, 0.0f);
  }
  o_.resize(size_t(count * d));
  const ConstMatrix<double> v(kv.v.data() + first_ * d, width, d);
  Matrix<double> o(o_.data(), count, d);
  o.noalias() = ConstMatrix<double>(weights_.data(), count, width) * v;
  for (int64_t r = 0; r < count; ++r)
    if (row(r).plain) o.row(r) /= row(r).sum;
  if (!estimates) return;
  size_.resize(size_t(count * d));
  const ConstMatrix<float> v_size(operands.v_size.data() + first_ * d, width, d);
  Matrix<float>(size_.data(), count, d).noalias() =
      ConstMatrix<float>(weights_fp32_.data(), count, width) * v_size;
}

void AttentionBlock::fill(int64_t r, AttentionRow& out) const {
  const BlockRow& row = rows_[size_t(r)];
  ODDTILE_ASSERT(row.plain && !estimates_);
  const double scale = std::fabs(scale_);
  const size_t start = size_t(r * width_ - first_);
  out.row_class = RowClass::live;
  out.visible = row.live;
  out.keys.resize(size_t(row.live));
  out.offset.resize(size_t(row.live));
  out.magnitude.resize(size_t(row.live));
  out.weight.resize(size_t(row.live));
  out.column.clear();
  out.v_magnitude.clear();
  double largest_products = 0;
  size_t at = 0;
  for (int64_t j = row.keys.begin; j < row.keys.end; ++j) {
    const size_t from = start + size_t(j);
    if (!(scores_[from] > -kNoScore)) continue;
    out.keys[at] = j;
    out.offset[at] = scores_[from] - row.max;
    out.magnitude[at] = products_[from] * scale;
    out.weight[at] = weights_[from] / row.sum;
    largest_products = std::max(largest_products, products_[from]);
    ++at;
  }
  out.max = row.max;
  out.sum = row.sum;
  out.log_sum = row.log_sum;
  out.lse = row.lse;
  out.largest_products = largest_products;
  out.o.assign(o(r), o(r) + head_dim_);
  out.errors =
      double_errors(head_dim_, row.live, largest_products * scale, row.max, row.log_sum, row.lse);
}

}  // namespace oddtile::oracles
