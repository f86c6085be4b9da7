#include "oracles/bounds/attention_estimate.h"

#include <algorithm>
#include <cmath>

namespace oddtile::oracles {
namespace {

constexpr double kLargestLogError = 0.25;

// Lower and upper sums over a row: E is the log error, X = sum D.
struct Range {
  double lower = 0, upper = 0;
};

struct RowErrors {
  LogErrorTerms terms;
  double per_key = 0;          // upper: E_j without its share of |s_j - m|
  double least = 0, most = 0;  // min E_j from below, max E_j from above
  Range sum;                   // X
  double sum_error = 0, loss = 0;
};

RowErrors row_errors(const BlockRow& row, int64_t head_dim, const KeyTerms& keys, double scale,
                     const oddtile_profile& profile) {
  WeightRow weights;
  weights.head_dim = head_dim;
  weights.scale = scale;
  weights.events = keys.events();
  RowErrors e;
  e.terms = log_error_terms(weights, true, profile);
  const double magnitude_error = fp32_sum_error(head_dim + 1);
  const double underflow = double(head_dim) * 0x1p-148 * std::fabs(scale);
  const auto lower = [&](double a) { return std::max(0.0, a * (1 - magnitude_error) - underflow); };
  const auto upper = [&](double a) { return a / (1 - magnitude_error) + underflow; };
  e.least = e.terms.common + e.terms.per_magnitude * lower(row.least_magnitude);
  const double mean =
      e.terms.common + e.terms.per_offset * row.mean_offset + e.terms.per_score * row.mean_score;
  e.sum.lower = mean + e.terms.per_magnitude * lower(row.mean_magnitude);

  // A frame is the largest score of a tile.
  weights.largest_frame = std::fabs(row.max) + row.largest_offset;
  const double frames = log_error_terms(weights, true, profile).common - e.terms.common;
  e.per_key = e.terms.common + frames + e.terms.per_score * std::fabs(row.max) +
              e.terms.per_magnitude * upper(row.largest_magnitude);
  e.most = e.per_key + (e.terms.per_offset + e.terms.per_score) * row.largest_offset;
  // e^x - 1 <= x (1 + x) up to 1.
  e.sum.upper = (1 + e.most) * (mean + frames + e.terms.per_magnitude * upper(row.mean_magnitude));
  e.sum_error = sum_error(keys.depth + keys.events());
  e.loss = e.sum.upper + e.sum_error + 2 * double(keys.live) * weight_flush(profile);
  return e;
}

double lse_bound(const BlockRow& row, const KeyTerms& keys, const RowErrors& e, double sum,
                 double most, const oddtile_profile& profile) {
  return bound_lse({sum, most, e.sum_error, row.max, row.log_sum, row.lse, keys.live}, profile);
}

}  // namespace

void estimate_attention(const BlockRow& row, const double* o, const float* size,
                        const std::vector<double>& v_largest, const KeyTerms& keys, double scale,
                        const oddtile_profile& profile, oddtile_dtype dtype,
                        AttentionEstimate& out) {
  const int64_t columns = int64_t(v_largest.size());
  const RowErrors e = row_errors(row, columns, keys, scale, profile);
  const double value_sum_error = fp32_sum_error(keys.live + 2);
  out.valid = e.most < kLargestLogError && e.loss < 0.25 && value_sum_error < 0.25;
  if (!out.valid) return;
  // The mean of E is at most its maximum: min(log1p(X), max E) from below and from above.
  out.lse_lower = lse_bound(row, keys, e, e.sum.lower, e.sum.lower, profile);
  out.lse_upper = lse_bound(row, keys, e, e.sum.upper, e.most, profile);

  const AttentionTerms terms(keys, profile, dtype);
  const double eta_share =
      profile.weight_normalised ? terms.eta : terms.eta * (1 + 2 * e.most) / row.sum;
  const double offsets = (e.terms.per_offset + e.terms.per_score) * row.mean_offset * (1 + e.most);
  const double eta_values = double(keys.live) * eta_share * (1 + terms.value_error);
  const double roundoff = e.sum_error + 4 * kU;
  out.lower.resize(size_t(columns));
  out.upper.resize(size_t(columns));
  for (size_t c = 0; c < size_t(columns); ++c) {
    const double at = std::fabs(o[c]), largest = v_largest[c];
    // p and p |v| may underflow in fp32.
    const double tiny = double(keys.live) * 0x1p-148 * (1 + largest);
    const double sum = double(size[c]) / row.sum;
    const double low = std::max(sum * (1 - value_sum_error) - tiny, at);
    const double high = sum / (1 - value_sum_error) + tiny;

    const double lower1 = (e.least * (low - at) + low * (1 + e.least) * terms.value_error +
                           at * (1 + e.sum.lower) * roundoff) /
                          (1 - e.sum.lower - e.sum_error);
    const double lower2 = (low - at) + low * terms.hull;
    // sum D_j |v_jc|, where D_j <= (1 + max E) p_j E_j.
    const double weighted = (1 + e.most) * e.per_key * high + offsets * largest;
    const double upper1 = (weighted + at * e.sum.upper + (high + weighted) * terms.value_error +
                           at * (1 + e.sum.upper) * roundoff + eta_values * largest) /
                          (1 - e.loss) * (1 + 4 * kU);
    const double upper2 = largest + at + largest * (terms.hull + double(keys.live) * terms.eta);
    const auto whole = [&](double b) {
      return (1 + terms.u_o) * (b + terms.underflow) + terms.u_o * at + terms.eta_o;
    };
    out.lower[c] = whole(std::min(lower1, lower2));
    out.upper[c] = whole(std::min(upper1, upper2));
  }
  const double magnitude = row.largest_magnitude * 1.01;  // fp32's error is far below 1 %
  out.uncertainty =
      uncertainty(double_errors(columns, row.live, magnitude, row.max, row.log_sum, row.lse), true,
                  e.most, terms.value_error, out.lse_lower);
}

}  // namespace oddtile::oracles
