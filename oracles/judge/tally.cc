#include "oracles/judge/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/assert.h"

namespace oddtile::oracles {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Comparison as_class(bool same) {
  return {same ? 0 : kInfinite, 0, !same};
}

}  // namespace

Comparison compare(double got, const Expectation& expected, double overflow) {
  using Kind = Expectation::Kind;
  switch (expected.kind) {
    case Kind::nan:
      return as_class(std::isnan(got));
    case Kind::infinity_or_nan:
      return as_class(std::isnan(got) || got == expected.exact);
    case Kind::positive_zero:
      return as_class(got == 0 && !std::signbit(got));
    case Kind::exactly:
      return as_class(got == expected.exact);
    case Kind::number:
      break;
  }
  ODDTILE_ASSERT(expected.bound >= 0);
  ODDTILE_ASSERT(std::isfinite(expected.exact));
  if (std::isnan(got)) return as_class(false);
  if (std::isinf(got)) {
    const bool reaches = std::fabs(expected.exact) + expected.bound >= overflow;
    const double side = got > 0 ? expected.exact + expected.bound : expected.bound - expected.exact;
    return as_class(reaches && side >= overflow);
  }
  const double error = got - expected.exact;
  if (error == 0) return {};
  if (expected.bound == 0) return {kInfinite, 0, true};
  const double share = error / expected.bound;
  return {std::fabs(share), share, !(std::fabs(share) <= 1)};
}

void ShareCounts::add(const int32_t* bins, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t turn = 0; turn < 4; ++turn) ++counts_[turn][size_t(bins[i + int64_t(turn)])];
  for (; i < count; ++i) ++counts_[0][size_t(bins[i])];
}

void Tally::keep(const Finding& finding) {
  const auto after =
      std::upper_bound(findings_.begin(), findings_.end(), finding,
                       [](const Finding& a, const Finding& b) { return a.ratio > b.ratio; });
  findings_.insert(after, finding);
  if (findings_.size() > kFindings) findings_.pop_back();
}

void Tally::add(const Comparison& comparison, double got, const Expectation& expected,
                const std::array<int64_t, 4>& index, const char* law) {
  if (expected.bound == kInfinite && !comparison.failed) return skip(1);
  if (!has_worst_ || comparison.ratio > worst_.ratio)
    worst_ = {index, got, expected, comparison.ratio, law};
  has_worst_ = true;
  ++judged_;
  const double ratio = comparison.ratio;
  ++bins_[ratio < 1 ? size_t(ratio * double(kBins)) : kBins];
  if (ratio < kInfinite) {
    sum_squares_ += ratio * ratio;
    sum_shares_ += comparison.share;
  }
  if (!comparison.failed) return;
  ++failed_;
  if (findings_.size() < kFindings || ratio > findings_.back().ratio)
    keep({index, got, expected, ratio, law});
}

void Tally::net(double got, const Expectation& expected, double rounding, int64_t live) {
  // Below that, what is left of a difference of doubles is their own roundoff.
  constexpr double kSmallestRest = 0x1p-40;
  const double rest = expected.bound - rounding;
  if (std::isfinite(rest)) net_drawn(live);
  if (!std::isfinite(got) || !std::isfinite(rest) || !(rest > kSmallestRest * expected.bound))
    return;
  double& worst = worst_net_[regime(live)];
  const double error = std::fabs(got - expected.exact) - rounding;
  if (error > worst * rest) worst = error / rest;
}

void Tally::accept(double share) {
  const double ratio = std::fabs(share);
  ++judged_;
  ++bins_[ratio < 1 ? size_t(ratio * double(kBins)) : kBins];
  sum_squares_ += ratio * ratio;
  sum_shares_ += share;
}

void Tally::accept(const ShareCounts& counts, int64_t count, double share_sum,
                   double share_squares) {
  judged_ += count;
  sum_squares_ += share_squares;
  sum_shares_ += share_sum;
  for (size_t bin = 0; bin < kBins; ++bin) bins_[bin] += counts.of(bin);
}

void Tally::merge_worst(const Tally& full) {
  if (full.has_worst_ && (!has_worst_ || full.worst_.ratio > worst_.ratio)) worst_ = full.worst_;
  has_worst_ = has_worst_ || full.has_worst_;
  for (size_t regime = 0; regime < worst_net_.size(); ++regime)
    worst_net_[regime] = std::max(worst_net_[regime], full.worst_net_[regime]);
  for (size_t regime = 0; regime < net_drawn_.size(); ++regime)
    net_drawn_[regime] = net_drawn_[regime] || full.net_drawn_[regime];
}

void Tally::merge(const Tally& later) {
  merge_worst(later);
  judged_ += later.judged_;
  not_judged_ += later.not_judged_;
  failed_ += later.failed_;
  zero_output(later.zero_factor_);
  sum_squares_ += later.sum_squares_;
  sum_shares_ += later.sum_shares_;
  for (size_t bin = 0; bin < bins_.size(); ++bin) bins_[bin] += later.bins_[bin];
  for (const Finding& finding : later.findings_) keep(finding);
}

double Tally::percentile(double share) const {
  const int64_t below = int64_t(std::ceil(share * double(judged_)));
  int64_t count = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    count += bins_[bin];
    // The upper edge of the bin, which may lie above the worst element.
    if (count >= below) return std::min(double(bin + 1) / double(kBins), worst_.ratio);
  }
  return worst_.ratio;
}

Quantity Tally::quantity(Role role) const {
  Quantity quantity;
  quantity.role = role;
  quantity.judged = judged_;
  quantity.not_judged = not_judged_;
  quantity.failed = failed_;
  if (judged_ == 0) return quantity;
  quantity.worst_ratio = worst_.ratio;
  quantity.p99_ratio = percentile(0.99);
  quantity.rms_ratio = failed_ > 0 && worst_.ratio == kInfinite
                           ? kInfinite
                           : std::min(std::sqrt(sum_squares_ / double(judged_)), worst_.ratio);
  quantity.worst_net = worst_net_;
  quantity.net_drawn = net_drawn_;
  quantity.signed_mean = sum_shares_ / double(judged_);
  for (size_t dim = 0; dim < 4; ++dim) quantity.worst_index[dim] = worst_.index[dim];
  quantity.got = worst_.got;
  quantity.exact = worst_.expected.exact;
  quantity.bound = worst_.expected.bound;
  return quantity;
}

}  // namespace oddtile::oracles
