#include "oracles/bounds/attention.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

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
  std::vector<double> largest;    // max |v_jc|

  void reset(size_t columns) {
    for (auto* part : {&spread, &weighted, &subnormal, &distance, &largest})
      part->assign(columns, 0.0);
  }
};

// One block of `width` columns over all live keys; the sums stay in registers.
template <int width>
void add_block(const AttentionRow& row, const KeysAndValues& kv, std::span<const double> errors,
               int64_t column, Columns& sums) {
  using Block = Eigen::Array<double, width, 1>;
  using View = Eigen::Map<const Block>;
  const Block o = View(row.o.data() + column);
  Block spread = Block::Zero(), weighted = spread, distance = spread, largest = spread;
  for (size_t j = 0; j < row.keys.size(); ++j) {
    const Block v = View(kv.v.data() + row.keys[j] * kv.head_dim + column);
    const double d = errors.empty() ? 0 : errors[j], share = row.weight[j] + d;
    const Block size = v.abs(), away = (v - o).abs();
    spread += d * away;
    weighted += share * size;
    distance = distance.max(away);
    largest = largest.max(size);
  }
  Eigen::Map<Block>(sums.spread.data() + column) = spread;
  Eigen::Map<Block>(sums.weighted.data() + column) = weighted;
  Eigen::Map<Block>(sums.distance.data() + column) = distance;
  Eigen::Map<Block>(sums.largest.data() + column) = largest;
}

// `errors`: D_j, or empty where they say nothing.
void add_keys(const AttentionRow& row, const KeysAndValues& kv, std::span<const double> errors,
              Columns& sums) {
  int64_t column = 0;
  for (; column + 8 <= kv.head_dim; column += 8) add_block<8>(row, kv, errors, column, sums);
  for (; column < kv.head_dim; ++column) add_block<1>(row, kv, errors, column, sums);
}

double bound_lse(const AttentionRow& row, const WeightBound& w, const oddtile_profile& profile) {
  // ln sum p e^(+-E) lies within +-ln(1 + X) (Jensen), and within +-max E.
  const double weights = std::min(std::log1p(w.sum), w.log_error_max);
  const double flush = double(row.keys.size()) * weight_flush(profile);
  const double sum = w.sum_error < 0.5 ? -std::log1p(-w.sum_error) : kNever;
  const double log = profile.log2_error * std::max(std::log(2.0), row.log_sum);
  return weights + sum + 2 * flush + log + 4 * kU * (std::fabs(row.max) + row.log_sum) +
         kU * std::fabs(row.lse) + 0x1p-149;
}

}  // namespace

void bound_attention(const AttentionRow& row, const KeysAndValues& kv, double scale,
                     const oddtile_profile& profile, oddtile_dtype dtype, AttentionBound& out) {
  ODDTILE_ASSERT(row.row_class == RowClass::live);
  const int64_t columns = kv.head_dim;
  const size_t n = row.keys.size();
  WeightRow live;
  live.offset = row.offset;
  live.weight = row.weight;
  live.magnitude = row.magnitude;
  live.max = row.max;
  live.sum = row.sum;
  live.head_dim = columns;
  live.scale = scale;
  live.events = double(tiles_touched(row.keys, profile) - 1);
  live.depth = sum_depth(row.keys, profile);
  if (profile.extra_frame_u > 0) live.largest_frame = largest_frame(row, profile.tile_columns);
  bound_weights(live, profile, out.weights);
  const WeightBound& w = out.weights;
  out.lse = bound_lse(row, w, profile);

  const oddtile_dtype type = profile.weight_dtype;
  const double u_p = unit_roundoff(type);
  const double eta = std::max(subnormal_roundoff(type), weight_flush(profile));
  const double sums = kappa_values(row.keys, profile) + live.events;
  const bool informed = w.loss < 0.5;  // else the row sum says nothing and B2 alone holds
  // Smallest exact p_j (normalised before the cast) or w_j whose rounded P is surely normal.
  const double shrink =
      profile.weight_normalised ? (1 - w.loss) / (1 + w.loss) / row.sum : std::exp(-w.rise);
  const double floor = std::exp(-w.log_error_max);
  thread_local Columns parts;
  parts.reset(size_t(columns));
  add_keys(row, kv, informed ? std::span<const double>(w.error) : std::span<const double>(), parts);
  for (size_t j = 0; informed && j < n; ++j) {
    // The exact share costs an exponential: only where the cheap one is too small.
    const double value = row.weight[j] * row.sum * shrink;
    if (value * floor >= smallest_normal(type) ||
        value * std::exp(-w.log_error[j]) >= smallest_normal(type))
      continue;
    const double* v = kv.v.data() + row.keys[j] * columns;
    for (int64_t c = 0; c < columns; ++c) parts.subnormal[size_t(c)] += std::fabs(v[c]);
  }

  // Where P is normalised before the cast each weight bears the division's rounding.
  const double divisions = profile.weight_normalised ? profile.division_error_u : 0;
  const double value_error = compounded(u_p, sums + divisions);
  const double common = (1 + w.sum) * (w.sum_error + 4 * kU);
  const double eta_share =
      profile.weight_normalised ? eta : eta * std::exp(std::min(w.rise, 700.0)) / row.sum;
  const double hull = compounded(u_p, sums + live.depth + live.events + 4 + divisions);
  const double u_o = unit_roundoff(dtype), eta_o = subnormal_roundoff(dtype);
  // Accumulators round in fp32's subnormals.
  const double underflow = double(int64_t(n) + tiles_touched(row.keys, profile) + 2) * 0x1p-149;
  out.o.resize(size_t(columns));
  for (size_t c = 0; c < size_t(columns); ++c) {
    const double size = std::fabs(row.o[c]);
    double b = parts.distance[c] + parts.largest[c] * (hull + double(n) * eta);
    if (informed) {
      const double b1 = (parts.spread[c] + parts.weighted[c] * value_error + size * common +
                         eta_share * parts.subnormal[c] * (1 + value_error)) /
                        (1 - w.loss) * (1 + 4 * kU);
      b = std::min(b, b1);
    }
    out.o[c] = (1 + u_o) * (b + underflow) + u_o * size + eta_o;
  }
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

}  // namespace oddtile::oracles
