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

}  // namespace oddtile::reports
