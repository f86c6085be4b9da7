#include "oracles/bounds/attention.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "oracles/bounds/attention_terms.h"

namespace oddtile::oracles {
namespace {

double largest_frame(const AttentionRow& row, int64_t tile) {
  double largest = 0;
  for (size_t first = 0; first < row.keys.size();) {
    const int64_t end = tile > 0 ? (row.keys[first] / tile + 1) * tile : row.keys.back() + 1;
    double offset = row.offset[first];
    for (; first < row.keys.size() && row.keys[first] < end; ++first)
      offset = std::max(offset, row.offset[first]);
    largest = std::max(largest, std::fabs(row.max + offset));
  }
  return largest;
}

// What the bound of a column is made of: sums and maxima over the live keys, per column.
struct Columns {
  std::vector<double> spread;     // sum D_j |v_jc - o_c|
  std::vector<double> weighted;   // sum (p_j + D_j) |v_jc|
  std::vector<double> subnormal;  // sum |v_jc| over keys whose P may be subnormal
  std::vector<double> distance;   // max |v_jc - o_c|

  void reset(size_t columns) {
    for (auto* part : {&spread, &weighted, &subnormal, &distance}) part->assign(columns, 0.0);
  }
};

// Keys first..last of the row on `width` columns; the sums stay in registers.
template <int width>
void add_block(const AttentionRow& row, const KeysAndValues& kv, const double* errors, size_t first,
               size_t last, int64_t column, Columns& sums) {
  using Block = Eigen::Array<double, width, 1>;
  using Sum = Eigen::Map<Block>;
  using View = Eigen::Map<const Block>;
  Sum spread_out(sums.spread.data() + column), weighted_out(sums.weighted.data() + column),
      distance_out(sums.distance.data() + column);
  const Block o = View(row.o.data() + column);
  Block spread = spread_out, weighted = weighted_out, distance = distance_out;
  for (size_t j = first; j < last; ++j) {
    const View v(kv.v.data() + row.keys[j] * kv.head_dim + column);
    const double d = errors == nullptr ? 0 : errors[j];
    const Block away = (v - o).abs();
    spread += d * away;
    weighted += (row.weight[j] + d) * v.abs();
    distance = distance.max(away);
  }
  spread_out = spread;
  weighted_out = weighted;
  distance_out = distance;
}

// `errors`: D_j, or nullptr where they say nothing. A few keys at a time, which stay in the
// first-level cache over all columns.
void add_keys(const AttentionRow& row, const KeysAndValues& kv, const double* errors,
              Columns& sums) {
  constexpr size_t kKeys = 16;
  for (size_t first = 0; first < row.keys.size(); first += kKeys) {
    const size_t last = std::min(row.keys.size(), first + kKeys);
    int64_t column = 0;
    for (; column + 8 <= kv.head_dim; column += 8)
      add_block<8>(row, kv, errors, first, last, column, sums);
    for (; column < kv.head_dim; ++column) add_block<1>(row, kv, errors, first, last, column, sums);
  }
}

double largest_value(const AttentionRow& row, const KeysAndValues& kv, int64_t column) {
  double largest = 0;
  for (const int64_t j : row.keys)
    largest = std::max(largest, std::fabs(kv.v[size_t(j * kv.head_dim + column)]));
  return largest;
}

void add_subnormal(const AttentionRow& row, const KeysAndValues& kv, const WeightBound& w,
                   const oddtile_profile& profile, Columns& sums) {
  const double normal = smallest_normal(profile.weight_dtype);
  // Smallest exact p_j (normalised before the cast) or w_j whose rounded P is surely normal.
  const double shrink =
      profile.weight_normalised ? (1 - w.loss) / (1 + w.loss) / row.sum : std::exp(-w.rise);
  const double floor = std::exp(-w.log_error_max);
  for (size_t j = 0; j < row.keys.size(); ++j) {
    // The exact share costs an exponential: only where the cheap one is too small.
    const double value = row.weight[j] * row.sum * shrink;
    if (value * floor >= normal || value * std::exp(-w.log_error[j]) >= normal) continue;
    const double* v = kv.v.data() + row.keys[j] * kv.head_dim;
    for (int64_t c = 0; c < kv.head_dim; ++c) sums.subnormal[size_t(c)] += std::fabs(v[c]);
  }
}

}  // namespace

void bound_attention(const AttentionRow& row, const KeysAndValues& kv, double scale,
                     const oddtile_profile& profile, oddtile_dtype dtype, AttentionBound& out) {
  ODDTILE_ASSERT(row.row_class == RowClass::live);
  const int64_t columns = kv.head_dim;
  const KeyTerms keys(row.keys, profile);
  WeightRow live;
  live.offset = row.offset;
  live.weight = row.weight;
  live.magnitude = row.magnitude;
  live.max = row.max;
  live.sum = row.sum;
  live.head_dim = columns;
  live.scale = scale;
  live.events = keys.events();
  live.depth = keys.depth;
  if (profile.extra_frame_u > 0) live.largest_frame = largest_frame(row, profile.tile_columns);
  bound_weights(live, profile, out.weights);
  const WeightBound& w = out.weights;
  out.lse = bound_lse(
      {w.sum, w.log_error_max, w.sum_error, row.max, row.log_sum, row.lse, keys.live}, profile);

  const AttentionTerms terms(keys, profile, dtype);
  out.value_error = terms.value_error;
  const bool informed = w.loss < 0.5;  // else the row sum says nothing and B2 alone holds
  thread_local Columns parts;
  parts.reset(size_t(columns));
  add_keys(row, kv, informed ? w.error.data() : nullptr, parts);
  if (informed) add_subnormal(row, kv, w, profile, parts);
  const double common = (1 + w.sum) * (w.sum_error + 4 * kU);
  const double eta_share = profile.weight_normalised
                               ? terms.eta
                               : terms.eta * std::exp(std::min(w.rise, 700.0)) / row.sum;
  out.o.resize(size_t(columns));
  for (size_t c = 0; c < size_t(columns); ++c) {
    const double size = std::fabs(row.o[c]);
    double b = kNever;
    if (informed)
      b = (parts.spread[c] + parts.weighted[c] * terms.value_error + size * common +
           eta_share * parts.subnormal[c] * (1 + terms.value_error)) /
          (1 - w.loss) * (1 + 4 * kU);
    // B2 is at least the distance: mostly there is no need of the rest of it.
    if (!(b <= parts.distance[c]))
      b = std::min(b, parts.distance[c] + largest_value(row, kv, int64_t(c)) *
                                              (terms.hull + double(keys.live) * terms.eta));
    out.o[c] = (1 + terms.u_o) * (b + terms.underflow) + terms.u_o * size + terms.eta_o;
  }
}

Uncertainty uncertainty(const DoubleErrors& errors, bool informed, double log_error_max,
                        double value_error, double lse_bound) {
  if (errors.weight == 0) return {};
  // Of D_j, X and their sums.
  const double bound = errors.weight + errors.value + (1 + log_error_max) * 0x1p-43;
  const double value = errors.value / value_error;
  return {informed ? 2 * errors.weight / value_error + value + bound
                   : 2 * (errors.weight + value) + 0x1p-43,
          errors.lse / lse_bound + bound};
}

Uncertainty uncertainty(const AttentionRow& row, const AttentionBound& bound) {
  return uncertainty(row.errors, bound.weights.loss < 0.5, bound.weights.log_error_max,
                     bound.value_error, bound.lse);
}

bool in_domain(const AttentionRow& row, double scale) {
  constexpr double log2_e = 1.4426950408889634;
  return row.largest_products < 0x1p126 &&
         row.largest_products * std::fabs(scale) * log2_e < 0x1p126;
}

bool in_domain(const AttentionRow& row, int64_t column) {
  return row.v_magnitude.empty() || row.v_magnitude[size_t(column)] < 0x1p119;
}

double visibility(const AttentionRow& row, const KeysAndValues& kv, const AttentionBound& bound,
                  int64_t j, bool with_lse) {
  if (row.keys.size() == 1) return kNever;
  const double p = row.weight[size_t(j)];
  if (p >= 1) return kNever;
  double most = with_lse ? -std::log1p(-p) / bound.lse : 0;
  const double* v = kv.v.data() + row.keys[size_t(j)] * kv.head_dim;
  for (int64_t c = 0; c < kv.head_dim; ++c)
    most = std::max(most, p / (1 - p) * std::fabs(v[c] - row.o[size_t(c)]) / bound.o[size_t(c)]);
  return most;
}

bool visible(double p, const double* v, const double* o, const std::vector<double>& bound,
             double lse) {
  using View = Eigen::Map<const Eigen::ArrayXd>;
  if (p >= 1 || -std::log1p(-p) > 2 * lse) return true;
  const auto n = Eigen::Index(bound.size());
  // Not any(): Eigen takes that one number at a time.
  return (p / (1 - p) * (View(v, n) - View(o, n)).abs() - 2 * View(bound.data(), n)).maxCoeff() > 0;
}

}  // namespace oddtile::oracles
