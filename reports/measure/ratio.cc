#include "reports/measure/ratio.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/assert.h"
#include "kernels/base/random.h"

namespace oddtile::reports {
namespace {

constexpr int kResamples = 2000;

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * double(sorted.size() - 1);
  const size_t below = size_t(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

double median_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

// The largest k with P(W < k) <= 2.5 % for the signed-rank statistic W of so many differences.
size_t signed_rank_tail(size_t pairs) {
  std::vector<double> chance = {1};  // [w]: that the ranks met so far which were drawn sum to w
  for (size_t rank = 1; rank <= pairs; ++rank) {
    std::vector<double> longer(chance.size() + rank);
    for (size_t w = 0; w < chance.size(); ++w) {
      longer[w] += chance[w] / 2;
      longer[w + rank] += chance[w] / 2;
    }
    chance = std::move(longer);
  }
  size_t k = 0;
  for (double below = 0; below + chance[k] <= 0.025; ++k) below += chance[k];
  return k;
}

}  // namespace

Quartiles quartiles(std::span<const double> values) {
  ODDTILE_ASSERT(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

std::optional<double> median_of_finite(std::span<const double> values) {
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (!finite || values.empty()) return std::nullopt;
  return quartiles(values).median;
}

Ratio paired_ratio(std::span<const double> baseline, std::span<const double> subject) {
  ODDTILE_ASSERT(baseline.size() == subject.size() && !baseline.empty());
  const uint32_t rounds = uint32_t(baseline.size());
  Random random(rounds);
  std::vector<double> ratios(kResamples), a(rounds), b(rounds);
  for (double& ratio : ratios) {
    for (uint32_t i = 0; i < rounds; ++i) {
      const uint32_t drawn = random.below(rounds);
      a[i] = baseline[drawn];
      b[i] = subject[drawn];
    }
    ratio = median_of(a) / median_of(b);
  }
  std::sort(ratios.begin(), ratios.end());
  return {quartiles(baseline).median / quartiles(subject).median, quantile(ratios, 0.025),
          quantile(ratios, 0.975)};
}

Ratio ranked_ratio(std::span<const double> baseline, std::span<const double> subject) {
  ODDTILE_ASSERT(baseline.size() == subject.size() && baseline.size() >= size_t(kLeastRounds) &&
                 baseline.size() <= size_t(kMostRounds));
  std::vector<double> logs, averages;
  for (size_t i = 0; i < baseline.size(); ++i) {
    logs.push_back(std::log(baseline[i] / subject[i]));
    for (const double log : logs) averages.push_back((log + logs.back()) / 2);
  }
  const double estimate = median_of(averages);  // sorts them
  const size_t k = signed_rank_tail(logs.size());
  return {std::exp(estimate), std::exp(averages[k - 1]), std::exp(averages[averages.size() - k])};
}

}  // namespace oddtile::reports
