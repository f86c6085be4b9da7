#include "oracles/bounds/weights.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

constexpr double kSmall = 0x1p-10;

// e^x - 1 <= x + x^2/2 + x^3/4 for 0 <= x <= 1.
double expm1_above(double x) {
  return x < kSmall ? x * (1 + x / 2 * (1 + x / 2)) : std::expm1(x);
}

}  // namespace

double weight_flush(const oddtile_profile& profile) {
  return profile.exp2_flushes ? 0x1p-126 : 0x1p-150;
}

LogErrorTerms log_error_terms(const WeightRow& row, bool attention,
                              const oddtile_profile& profile) {
  LogErrorTerms terms;
  terms.common = (row.events + 1) * (profile.exp2_error + kU) + 8 * kU;
  if (profile.lazy_threshold_log2 > 0)
    terms.common += 3 * kU * profile.lazy_threshold_log2 * std::log(2);
  terms.common += profile.extra_frame_u * kU * row.events * 2 * row.largest_frame;
  if (!attention) return terms;
  // Score roundoff: the dot product, one rounding of its own for the scale, products that
  // underflow (2^-149 each: also where a matrix unit aligns them as if one were 2^-133, or 2^-126
  // beside a subnormal accumulator; README.md, "Products").
  terms.per_magnitude = sum_error(kappa(row.head_dim, profile));
  terms.per_score = kU;
  terms.common += double(row.head_dim + 1) * 0x1p-149 * std::fabs(row.scale);
  return terms;
}

void bound_weights(const WeightRow& row, const oddtile_profile& profile, WeightBound& out) {
  using View = Eigen::Map<const Eigen::ArrayXd>;
  using Result = Eigen::Map<Eigen::ArrayXd>;
  const size_t n = row.offset.size();
  out.log_error.resize(n);
  out.error.resize(n);
  out.rise = out.log_error_max = out.sum = 0;
  const bool attention = !row.magnitude.empty();
  const LogErrorTerms terms = log_error_terms(row, attention, profile);
  const auto size = Eigen::Index(n);
  const View offset(row.offset.data(), size), weight(row.weight.data(), size);
  Result log_error(out.log_error.data(), size), error(out.error.data(), size);
  if (attention)
    log_error = terms.common - terms.per_offset * offset +
                terms.per_magnitude * View(row.magnitude.data(), size) +
                terms.per_score * (offset + row.max).abs();
  else
    log_error = terms.common - terms.per_offset * offset;
  if (n > 0) out.rise = std::max(0.0, (offset + log_error).maxCoeff());
  // The roundings count against the distance from the kernel's own maximum, not from m; the 8 u
  // hold that while it is below 1.
  if (out.rise > 1) {
    log_error += terms.per_offset * out.rise;
    out.rise *= 1 + terms.per_offset;
  }
  if (n > 0) out.log_error_max = log_error.maxCoeff();
  if (out.log_error_max < kSmall) {
    error = weight * log_error * (1 + log_error / 2 * (1 + log_error / 2));
  } else {
    for (size_t j = 0; j < n; ++j) {
      const double e = out.log_error[j], p = row.weight[j];
      // p expm1(e) only where e is small: at the extremes it would be 0 * inf.
      out.error[j] =
          e < 0.5 ? p * expm1_above(e) : std::max(0.0, std::exp(row.offset[j] + e) / row.sum - p);
    }
  }
  // Eigen adds an expression, not a stored array, in the same order wherever it lies in memory.
  out.sum = (error * 1).sum();
  out.sum_error = sum_error(row.depth + row.events);
  // Flushed weights: n eta relative to the kernel's own maximum, which lies at most ln(1.5 l) above
  // m wherever the row sum says anything (README.md), hence below 2 n eta of l.
  out.loss = out.sum + out.sum_error + 2 * double(n) * weight_flush(profile);
}

}  // namespace oddtile::oracles
