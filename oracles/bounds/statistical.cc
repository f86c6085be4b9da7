#include "oracles/bounds/statistical.h"

#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// k roundings of one sum, in units of one: at random, or all in one direction. A sum that truncates
// loses half of its worst case on average.
double random_steps(double k, double lambda) {
  return std::min(k, lambda * std::sqrt(k));
}
double truncated_steps(double k, double lambda) {
  return std::min(k, k / 2 + lambda * std::sqrt(k) / 2);
}

// What a row's errors are made of, apart from V.
struct Errors {
  double lambda = 0;
  double systematic = 0;       // of every weight, relative, unknown sign
  double events = 0;           // of all keys before a rescale together
  std::vector<double> random;  // per key, relative to its weight
  std::vector<double> systematic_key;
  std::vector<int64_t> order;  // keys, those of like weight next to one another
  std::vector<size_t> ends;    // of each class of like weights in `order`
};

// Keys whose weights lie within a quarter of P's grid of each other are rounded alike: their errors
// add up instead of averaging out. Classes of width u_P / 2, in the logarithm.
void classify(const AttentionRow& row, double u_p, Errors& e) {
  const size_t n = row.keys.size();
  e.order.resize(n);
  for (size_t j = 0; j < n; ++j) e.order[j] = int64_t(j);
  const auto place = [&](int64_t j) { return std::floor(row.offset[size_t(j)] / (0.5 * u_p)); };
  std::sort(e.order.begin(), e.order.end(),
            [&](int64_t a, int64_t b) { return row.offset[size_t(a)] < row.offset[size_t(b)]; });
  e.ends.clear();
  for (size_t i = 1; i <= n; ++i)
    if (i == n || place(e.order[i]) != place(e.order[i - 1])) e.ends.push_back(i);
}

void gather(const AttentionRow& row, int64_t head_dim, const oddtile_profile& profile,
            double lambda, Errors& e) {
  const bool truncates = profile.mma_fraction_bits > 0;
  const double k = kappa(head_dim, profile);
  const double events = double(tiles_touched(row.keys, profile) - 1);
  e.lambda = lambda;
  e.systematic = profile.exp2_error + 9 * kU + 3 * kU * profile.lazy_threshold_log2 * std::log(2);
  e.events = random_steps(events, lambda) * (profile.exp2_error + kU);
  const size_t n = row.keys.size();
  e.random.resize(n);
  e.systematic_key.resize(n);
  for (size_t j = 0; j < n; ++j) {
    const double distance = std::fabs(row.offset[j]), score = std::fabs(row.max + row.offset[j]);
    const double product = (truncates ? 0.5 : 1.0) * std::sqrt(k) * row.magnitude[j];
    e.random[j] = kU * std::sqrt(product * product + 5 * distance * distance + score * score);
    e.systematic_key[j] =
        e.systematic + 2 * kU * distance + (truncates ? k / 2 * kU * row.magnitude[j] : 0);
  }
}

// Per column, over the live keys.
struct Columns {
  std::vector<double> systematic;  // sum p |v - o| times what errs in one direction
  std::vector<double> away;        // sum p |v - o|
  std::vector<double> weighted;    // sum p |v|
  std::vector<double> scores;      // squares of p |v - o| times what errs at random
  std::vector<double> casts;       // squares of p v
  std::vector<double> like_scores, like_casts, one_scores, one_casts;  // of one class

  void reset(size_t columns) {
    for (auto* part : {&systematic, &away, &weighted, &scores, &casts}) part->assign(columns, 0.0);
    begin_class(columns);
  }
  void begin_class(size_t columns) {
    for (auto* part : {&like_scores, &like_casts, &one_scores, &one_casts})
      part->assign(columns, 0.0);
  }
  // Errors of a class add up, or stand one by one if that is more.
  void end_class() {
    for (size_t c = 0; c < scores.size(); ++c) {
      scores[c] += std::max(like_scores[c] * like_scores[c], one_scores[c]);
      casts[c] += std::max(like_casts[c] * like_casts[c], one_casts[c]);
    }
    begin_class(scores.size());
  }
};

void add_keys(const AttentionRow& row, const KeysAndValues& kv, const Errors& e, Columns& sums) {
  sums.reset(row.o.size());
  size_t i = 0;
  for (const size_t end : e.ends) {
    for (; i < end; ++i) {
      const size_t j = size_t(e.order[i]);
      const double p = row.weight[j], systematic = e.systematic_key[j], random = e.random[j];
      const double* v = kv.v.data() + row.keys[j] * kv.head_dim;
      for (size_t c = 0; c < row.o.size(); ++c) {
        const double value = p * v[c], away = p * std::fabs(v[c] - row.o[c]);
        sums.systematic[c] += away * systematic;
        sums.away[c] += away;
        sums.weighted[c] += std::fabs(value);
        sums.like_scores[c] += away * random;
        sums.like_casts[c] += value;
        sums.one_scores[c] += away * random * away * random;
        sums.one_casts[c] += value * value;
      }
    }
    sums.end_class();
  }
}

double lse_bound(const AttentionRow& row, const Errors& e, double total,
                 const oddtile_profile& profile, double sum_of_errors) {
  double systematic = 0, squares = 0;
  size_t i = 0;
  for (const size_t end : e.ends) {
    double together = 0;
    for (; i < end; ++i) {
      const size_t j = size_t(e.order[i]);
      systematic += row.weight[j] * e.systematic_key[j];
      together += row.weight[j] * e.random[j];
    }
    squares += together * together;
  }
  const double inner = systematic + e.events + e.lambda * std::sqrt(squares) + total +
                       2 * double(row.keys.size()) * weight_flush(profile);
  const double log = profile.log2_error * std::max(std::log(2.0), row.log_sum);
  return inner * (1 + sum_of_errors) + log + 4 * kU * (std::fabs(row.max) + row.log_sum) +
         kU * std::fabs(row.lse) + 0x1p-149;
}

// Sum over live keys of eta |v| where P may be subnormal, as in the rigorous bound.
std::vector<double> subnormal_values(const AttentionRow& row, const KeysAndValues& kv,
                                     const WeightBound& w, const oddtile_profile& profile) {
  const oddtile_dtype type = profile.weight_dtype;
  const double eta = std::max(subnormal_roundoff(type), weight_flush(profile));
  const double share =
      profile.weight_normalised ? eta : eta * std::exp(std::min(w.rise, 700.0)) / row.sum;
  const double shrink =
      profile.weight_normalised ? (1 - w.loss) / (1 + w.loss) / row.sum : std::exp(-w.rise);
  std::vector<double> sums(size_t(kv.head_dim), 0.0);
  for (size_t j = 0; j < row.keys.size(); ++j) {
    if (row.weight[j] * row.sum * shrink * std::exp(-w.log_error[j]) >= smallest_normal(type))
      continue;
    const double* v = kv.v.data() + row.keys[j] * kv.head_dim;
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += share * std::fabs(v[c]);
  }
  return sums;
}

}  // namespace

double hoeffding_factor(int64_t sums, double delta) {
  ODDTILE_ASSERT(sums > 0 && delta > 0 && delta < 1);
  return std::sqrt(2 * std::log(2 * double(sums) / delta));
}

void statistical_bound(const AttentionRow& row, const KeysAndValues& kv,
                       const oddtile_profile& profile, oddtile_dtype dtype,
                       const AttentionBound& rigorous, double lambda, StatisticalBound& out) {
  out.o = rigorous.o;
  out.lse = rigorous.lse;
  const WeightBound& w = rigorous.weights;
  // Mixed frames are declared as a worst case: nothing is known of their distribution.
  if (!(w.loss < 0.5) || profile.extra_frame_u > 0) return;
  thread_local Errors e;
  const double u_p = unit_roundoff(profile.weight_dtype);
  classify(row, u_p, e);
  gather(row, kv.head_dim, profile, lambda, e);

  const double events = double(tiles_touched(row.keys, profile) - 1);
  const double k = kappa_values(row.keys, profile);
  const double steps =
      profile.mma_fraction_bits > 0 ? truncated_steps(k, lambda) : random_steps(k, lambda);
  const double divisions = profile.weight_normalised ? profile.division_error_u : 0;
  const double sums = (steps + random_steps(events, lambda) + divisions) * kU;
  const double total = random_steps(sum_depth(row.keys, profile) + events, lambda) * kU;
  const double u_o = unit_roundoff(dtype), eta_o = subnormal_roundoff(dtype);
  const double underflow = double(row.keys.size() + 2) * 0x1p-148;
  const std::vector<double> subnormal = subnormal_values(row, kv, w, profile);
  thread_local Columns columns;
  add_keys(row, kv, e, columns);
  for (size_t c = 0; c < out.o.size(); ++c) {
    const double size = std::fabs(row.o[c]);
    const double random = std::sqrt(columns.scores[c]) + u_p * std::sqrt(columns.casts[c]);
    const double inner = columns.systematic[c] + columns.away[c] * e.events + lambda * random +
                         columns.weighted[c] * sums + size * (total + 4 * kU) + subnormal[c];
    const double b = inner / (1 - w.loss) * (1 + w.sum) * (1 + 2 * u_p);
    out.o[c] = std::min(out.o[c], (1 + u_o) * (b + underflow) + u_o * size + eta_o);
  }
  out.lse = std::min(out.lse, lse_bound(row, e, total, profile, w.sum));
}

}  // namespace oddtile::oracles
