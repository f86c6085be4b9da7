// The textbook formulae, templated on the number type. Private to oracles/exact: included by one
// translation unit per type, because multiprecision costs 10 s each.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracles/exact/attention.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles::formulae {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Real>
Real dot(const double* a, const double* b, int64_t n) {
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += Real(a[i]) * Real(b[i]);
  return sum;
}
template <>
inline double dot<double>(const double* a, const double* b, int64_t n) {
  return Eigen::Map<const Eigen::VectorXd>(a, n).dot(Eigen::Map<const Eigen::VectorXd>(b, n));
}

template <class Real>
Real absolute_dot(const double* a, const double* b, int64_t n) {
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += Real(std::fabs(a[i])) * Real(std::fabs(b[i]));
  return sum;
}
// The same where numbers other than 0 count as `least` at least.
template <class Real>
Real absolute_dot_from(const double* a, const double* b, int64_t n, double least) {
  const auto size = [least](double x) { return x == 0 ? 0.0 : std::max(std::fabs(x), least); };
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += Real(size(a[i])) * Real(size(b[i]));
  return sum;
}
template <>
inline double absolute_dot<double>(const double* a, const double* b, int64_t n) {
  return Eigen::Map<const Eigen::VectorXd>(a, n).cwiseAbs().dot(
      Eigen::Map<const Eigen::VectorXd>(b, n).cwiseAbs());
}

// x[0..n) are visible and live (finite), n > 0. Writes offset and weight, n numbers each.
template <class Real>
void normalise(const std::vector<Real>& scores, double* offset, double* weight, double& max_out,
               double& sum_out, double& log_sum_out, double& lse_out, std::vector<Real>& p) {
  using std::exp;
  using std::log;
  const size_t n = scores.size();
  Real max = scores[0];
  for (const Real& s : scores)
    if (s > max) max = s;
  p.resize(n);
  // Compensated (Neumaier 1974; the terms are positive and at most 1): the sum's error does not
  // grow with n, which a bound whose lanes add in parallel would notice.
  Real sum = 0, lost = 0;
  for (size_t j = 0; j < n; ++j) {
    const Real difference = scores[j] - max;
    offset[j] = double(difference);
    p[j] = exp(difference);
    const Real next = sum + p[j];
    lost += sum >= p[j] ? Real((sum - next) + p[j]) : Real((p[j] - next) + sum);
    sum = next;
  }
  sum += lost;
  const Real log_sum = log(sum);
  for (size_t j = 0; j < n; ++j) {
    p[j] /= sum;
    weight[j] = double(p[j]);
  }
  max_out = double(max);
  sum_out = double(sum);
  log_sum_out = double(log_sum);
  lse_out = double(Real(max + log_sum));
}

template <class Real>
void softmax(std::span<const double> x, const uint8_t* mask, SoftmaxRow& out) {
  out.offset.assign(x.size(), -kInfinity);
  out.weight.assign(x.size(), 0.0);
  out.max = out.sum = 0;
  out.live = 0;
  bool any_visible = false, poisoned = false;
  thread_local std::vector<Real> scores, p;
  thread_local std::vector<double> offset, weight;
  scores.clear();
  for (size_t c = 0; c < x.size(); ++c) {
    if (mask != nullptr && mask[c] == 0) continue;
    any_visible = true;
    if (std::isnan(x[c]) || x[c] == kInfinity) poisoned = true;
    if (x[c] > -kInfinity) scores.push_back(Real(x[c]));
  }
  out.row_class = !any_visible                 ? RowClass::empty
                  : poisoned || scores.empty() ? RowClass::nan
                                               : RowClass::live;
  if (out.row_class != RowClass::live) return;
  out.live = int64_t(scores.size());
  offset.resize(scores.size());
  weight.resize(scores.size());
  double log_sum, lse;
  normalise(scores, offset.data(), weight.data(), out.max, out.sum, log_sum, lse, p);
  size_t j = 0;
  for (size_t c = 0; c < x.size(); ++c) {
    if ((mask != nullptr && mask[c] == 0) || !(x[c] > -kInfinity)) continue;
    out.offset[c] = offset[j];
    out.weight[c] = weight[j];
    ++j;
  }
}

// The finite part of sum |q k|, where some term is not finite.
inline double finite_products(const double* q, const double* k, int64_t n) {
  double sum = 0;
  for (int64_t x = 0; x < n; ++x)
    if (const double term = std::fabs(q[x] * k[x]); term < kInfinity) sum += term;
  return sum;
}

// o_c = sum over `keys` of p_j v_jc.
template <class Real>
void weighted_sum(const KeysAndValues& kv, const std::vector<int64_t>& keys,
                  const std::vector<Real>& p, std::vector<double>& out) {
  for (int64_t c = 0; c < kv.head_dim; ++c) {
    Real sum = 0;
    for (size_t j = 0; j < p.size(); ++j)
      sum += p[j] * Real(kv.v[size_t(keys[j] * kv.head_dim + c)]);
    out[size_t(c)] = double(sum);
  }
}

// In double by blocks of columns, whose sums stay in registers.
template <int width>
void weighted_block(const KeysAndValues& kv, const std::vector<int64_t>& keys,
                    const std::vector<double>& p, int64_t column, std::vector<double>& out) {
  using Block = Eigen::Array<double, width, 1>;
  Block sum = Block::Zero();
  for (size_t j = 0; j < p.size(); ++j)
    sum += p[j] * Eigen::Map<const Block>(kv.v.data() + keys[j] * kv.head_dim + column);
  Eigen::Map<Block>(out.data() + column) = sum;
}
template <>
inline void weighted_sum<double>(const KeysAndValues& kv, const std::vector<int64_t>& keys,
                                 const std::vector<double>& p, std::vector<double>& out) {
  int64_t column = 0;
  for (; column + 16 <= kv.head_dim; column += 16) weighted_block<16>(kv, keys, p, column, out);
  for (; column < kv.head_dim; ++column) weighted_block<1>(kv, keys, p, column, out);
}

// `visible`: ascending. Fills everything of `out` but column and v_magnitude.
template <class Real>
void attention(const KeysAndValues& kv, std::span<const double> q, double scale,
               std::span<const int64_t> visible, AttentionRow& out) {
  const int64_t d = kv.head_dim;
  thread_local std::vector<Real> scores, p;
  scores.clear();
  out.keys.clear();
  out.magnitude.clear();
  out.visible = int64_t(visible.size());
  out.largest_products = 0;
  out.max = out.sum = out.log_sum = out.lse = 0;
  bool poisoned = false;
  const bool subnormal = kv.k_subnormal || any_subnormal(q.data(), d, kv.smallest_normal);
  for (const int64_t j : visible) {
    const double* k = kv.k.data() + j * d;
    const double products =
        double(subnormal ? absolute_dot_from<Real>(q.data(), k, d, kv.smallest_normal)
                         : absolute_dot<Real>(q.data(), k, d));
    if (products < kInfinity) {
      out.largest_products = std::max(out.largest_products, products);
      scores.push_back(Real(dot<Real>(q.data(), k, d) * Real(scale)));
      out.keys.push_back(j);
      out.magnitude.push_back(products * std::fabs(scale));
      continue;
    }
    // A term is NaN or infinite: IEEE arithmetic on the terms decides the class, times scale.
    out.largest_products = std::max(out.largest_products, finite_products(q.data(), k, d));
    const double score = dot<double>(q.data(), k, d) * scale;
    if (score != -kInfinity) poisoned = true;
  }
  out.row_class = poisoned ? RowClass::nan : out.keys.empty() ? RowClass::empty : RowClass::live;
  out.offset.resize(out.keys.size());
  out.weight.resize(out.keys.size());
  out.o.assign(size_t(d), 0.0);
  if (out.row_class != RowClass::live) return;
  normalise(scores, out.offset.data(), out.weight.data(), out.max, out.sum, out.log_sum, out.lse,
            p);
  weighted_sum(kv, out.keys, p, out.o);
}

// Implemented in wide.cc, the one translation unit of the first oracle that sees multiprecision.
void softmax_wide(std::span<const double> x, const uint8_t* mask, SoftmaxRow& out);
void attention_wide(const KeysAndValues& kv, std::span<const double> q, double scale,
                    std::span<const int64_t> visible, AttentionRow& out);

}  // namespace oddtile::oracles::formulae
