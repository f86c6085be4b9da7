// Medians, quartiles, and the ratio of two times with its interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace oddtile::reports {

struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};

// Linear interpolation between order statistics; values must not be empty.
Quartiles quartiles(std::span<const double> values);

// nullopt where a time is not finite (a launch failed) or there is none: no median of the rest.
std::optional<double> median_of_finite(std::span<const double> values);

struct Ratio {
  double value = 0;
  double low = 0;  // 95 % interval
  double high = 0;
};

// median(baseline) / median(subject): above 1 the subject is faster. baseline[i] and subject[i]
// were measured in the same round, so the bootstrap draws rounds, not times: drift of clocks and
// power that both share cancels. The same input gives the same interval.
Ratio paired_ratio(std::span<const double> baseline, std::span<const double> subject);

// The same question answered by ranks (as reports/peers/ratio.py): Hodges and Lehmann's estimate of
// the paired log ratios and the interval of the signed-rank test. Narrower than the bootstrap of
// medians, and as honest where the differences are symmetric.
inline constexpr int kLeastRounds = 6;    // with fewer no 95 % interval exists
inline constexpr int kMostRounds = 1000;  // half a second; with ten times as many ten minutes
Ratio ranked_ratio(std::span<const double> baseline, std::span<const double> subject);

}  // namespace oddtile::reports
