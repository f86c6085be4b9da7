#include "oracles/bounds/weights.h"

#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// e^x - 1 <= x + x^2/2 + x^3/4 for 0 <= x <= 1.
double expm1_above(double x) {
  return x < 0x1p-10 ? x * (1 + x / 2 * (1 + x / 2)) : std::expm1(x);
}

}  // namespace

double weight_flush(const oddtile_profile& profile) {
  return profile.exp2_flushes ? 0x1p-126 : 0x1p-150;
}

void bound_weights(const WeightRow& row, const oddtile_profile& profile, WeightBound& out) {
  const size_t n = row.offset.size();
  out.log_error.resize(n);
  out.error.resize(n);
  const double events = row.events;
  double common = (events + 1) * (profile.exp2_error + kU) + 8 * kU;
  if (profile.lazy_threshold_log2 > 0) common += 3 * kU * profile.lazy_threshold_log2 * std::log(2);
  common += profile.extra_frame_u * kU * events * 2 * row.largest_frame;

  const bool attention = !row.magnitude.empty();
  // Score roundoff: the dot product, one rounding of its own for the scale, products that
  // underflow.
  const double per_magnitude = attention ? sum_error(kappa(row.head_dim, profile)) : 0;
  const double underflow =
      attention ? double(row.head_dim + 1) * 0x1p-149 * std::fabs(row.scale) : 0;

  double rise = 0;
  for (size_t j = 0; j < n; ++j) {
    const double a = row.offset[j];
    double error = common - 5 * kU * a;
    if (attention)
      error += per_magnitude * row.magnitude[j] + kU * std::fabs(row.max + a) + underflow;
    out.log_error[j] = error;
    rise = std::max(rise, a + error);
  }
  // The roundings count against the distance from the kernel's own maximum, not from m; the 8 u
  // hold that while it is below 1.
  if (rise > 1) {
    for (double& error : out.log_error) error += 5 * kU * rise;
    rise *= 1 + 5 * kU;
  }
  out.rise = rise;
  out.log_error_max = n == 0 ? 0 : *std::max_element(out.log_error.begin(), out.log_error.end());
  out.sum = 0;
  for (size_t j = 0; j < n; ++j) {
    const double e = out.log_error[j], p = row.weight[j];
    // p expm1(e) only where e is small: at the extremes it would be 0 * inf.
    const double d =
        e < 0.5 ? p * expm1_above(e) : std::max(0.0, std::exp(row.offset[j] + e) / row.sum - p);
    out.error[j] = d;
    out.sum += d;
  }
  out.sum_error = sum_error(row.depth + events);
  // Flushed weights: n eta relative to the kernel's own maximum, which lies at most ln(1.5 l) above
  // m wherever the row sum says anything (README.md), hence below 2 n eta of l.
  out.loss = out.sum + out.sum_error + 2 * double(n) * weight_flush(profile);
}

}  // namespace oddtile::oracles
