#include "oracles/bounds/statistical.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

bool sums_truncate(const oddtile_profile& profile) {
  return profile.mma_fraction_bits > 0 && !profile.mma_rounds;
}

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
  std::vector<int64_t> order;       // keys, those of like weight next to one another
  std::vector<uint8_t> ends_class;  // by place in `order`: 1 for the last key of a class
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
  e.ends_class.resize(n);
  for (size_t i = 0; i < n; ++i)
    e.ends_class[i] = i + 1 == n || place(e.order[i]) != place(e.order[i + 1]);
}

void gather(const AttentionRow& row, int64_t head_dim, const oddtile_profile& profile,
            double lambda, Errors& e) {
  const bool truncates = sums_truncate(profile);
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
  std::vector<double> like_scores, like_casts, one_scores, one_casts;  // of an unfinished class

  void reset(size_t columns) {
    for (auto* part : {&systematic, &away, &weighted, &scores, &casts, &like_scores, &like_casts,
                       &one_scores, &one_casts})
      part->assign(columns, 0.0);
  }
};

// Keys first..last of e.order on `width` columns; the sums stay in registers.
template <int width>
void add_block(const AttentionRow& row, const KeysAndValues& kv, const Errors& e, size_t first,
               size_t last, int64_t column, Columns& sums) {
  using Block = Eigen::Array<double, width, 1>;
  using View = Eigen::Map<const Block>;
  const auto part = [&](std::vector<double>& all) {
    return Eigen::Map<Block>(&all[size_t(column)]);
  };
  const Block o = View(row.o.data() + column);
  Block systematic = part(sums.systematic), away = part(sums.away), weighted = part(sums.weighted);
  Block scores = part(sums.scores), casts = part(sums.casts);
  Block like_scores = part(sums.like_scores), like_casts = part(sums.like_casts);
  Block one_scores = part(sums.one_scores), one_casts = part(sums.one_casts);
  for (size_t i = first; i < last; ++i) {
    const auto j = size_t(e.order[i]);
    const double p = row.weight[j];
    const View v(kv.v.data() + row.keys[j] * kv.head_dim + column);
    const Block value = p * v, distance = p * (v - o).abs(), score = distance * e.random[j];
    systematic += distance * e.systematic_key[j];
    away += distance;
    weighted += value.abs();
    like_scores += score;
    like_casts += value;
    one_scores += score * score;
    one_casts += value * value;
    if (e.ends_class[i] == 0) continue;
    // Errors of a class add up, or stand one by one if that is more.
    scores += (like_scores * like_scores).max(one_scores);
    casts += (like_casts * like_casts).max(one_casts);
    for (Block* of_class : {&like_scores, &like_casts, &one_scores, &one_casts})
      of_class->setZero();
  }
  part(sums.systematic) = systematic;
  part(sums.away) = away;
  part(sums.weighted) = weighted;
  part(sums.scores) = scores;
  part(sums.casts) = casts;
  part(sums.like_scores) = like_scores;
  part(sums.like_casts) = like_casts;
  part(sums.one_scores) = one_scores;
  part(sums.one_casts) = one_casts;
}

// A few keys at a time, which stay in the first-level cache over all columns.
void add_keys(const AttentionRow& row, const KeysAndValues& kv, const Errors& e, Columns& sums) {
  constexpr size_t kKeys = 16;
  sums.reset(row.o.size());
  for (size_t first = 0; first < e.order.size(); first += kKeys) {
    const size_t last = std::min(e.order.size(), first + kKeys);
    int64_t column = 0;
    for (; column + 4 <= kv.head_dim; column += 4)
      add_block<4>(row, kv, e, first, last, column, sums);
    for (; column < kv.head_dim; ++column) add_block<1>(row, kv, e, first, last, column, sums);
  }
}

double lse_bound(const AttentionRow& row, const Errors& e, double total,
                 const oddtile_profile& profile, double sum_of_errors) {
  double systematic = 0, squares = 0, together = 0;
  for (size_t i = 0; i < e.order.size(); ++i) {
    const auto j = size_t(e.order[i]);
    systematic += row.weight[j] * e.systematic_key[j];
    together += row.weight[j] * e.random[j];
    if (e.ends_class[i] == 0) continue;
    squares += together * together;
    together = 0;
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
      sums_truncate(profile) ? truncated_steps(k, lambda) : random_steps(k, lambda);
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
