#include "reports/measure/ratio.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/base/random.h"

namespace oddtile::reports {
namespace {

TEST(Ratio, quartiles_interpolate) {
  const std::vector<double> values = {4, 1, 3, 2};
  const Quartiles q = quartiles(values);
  EXPECT_DOUBLE_EQ(q.lower, 1.75);
  EXPECT_DOUBLE_EQ(q.median, 2.5);
  EXPECT_DOUBLE_EQ(q.upper, 3.25);
  EXPECT_DOUBLE_EQ(quartiles(std::vector<double>{7}).lower, 7);
}

TEST(Ratio, a_launch_that_failed_leaves_no_median) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(median_of_finite(std::vector<double>{3, 1, 2}), 2);
  EXPECT_FALSE(median_of_finite(std::vector<double>{3, nan, 1, 2}));
  EXPECT_FALSE(median_of_finite({}));
}

// Times that drift by half over the rounds, but together.
std::vector<double> drifting(double time, double noise, uint64_t seed) {
  Random random(seed);
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) times.push_back(time * (1 + i / 30.0 + noise * random.normal()));
  return times;
}

TEST(Ratio, faster_and_slower_are_told_apart) {
  const std::vector<double> slow = drifting(200, 0.002, 1), fast = drifting(100, 0.002, 2);
  const Ratio faster = paired_ratio(slow, fast);
  EXPECT_NEAR(faster.value, 2, 0.1);
  EXPECT_GT(faster.low, 1.5);
  EXPECT_LT(paired_ratio(fast, slow).high, 0.7);
}

TEST(Ratio, shared_drift_does_not_widen_the_interval) {
  const std::vector<double> one = drifting(100, 0, 1), two = drifting(110, 0, 2);
  const Ratio ratio = paired_ratio(one, two);
  EXPECT_NEAR(ratio.low, ratio.high, 1e-12);  // the same rounds: 100 / 110 whatever is drawn
}

TEST(Ratio, equal_times_cannot_be_told_apart) {
  const Ratio ratio = paired_ratio(drifting(100, 0.05, 1), drifting(100, 0.05, 2));
  EXPECT_LE(ratio.low, 1);
  EXPECT_GE(ratio.high, 1);
}

TEST(Ratio, is_repeatable) {
  const Ratio one = paired_ratio(drifting(1, 0.1, 1), drifting(2, 0.1, 2));
  const Ratio two = paired_ratio(drifting(1, 0.1, 1), drifting(2, 0.1, 2));
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
}

// The same numbers as reports/peers/ratio.py gives.
TEST(RankedRatio, is_hodges_and_lehmanns) {
  const std::vector<double> baseline = {10, 11, 12, 10, 13, 9, 10};
  const std::vector<double> subject = {9, 10.5, 11, 10.1, 12, 9.1, 9.7};
  const Ratio ratio = ranked_ratio(baseline, subject);
  EXPECT_DOUBLE_EQ(ratio.value, 1.0479518892965005);
  EXPECT_DOUBLE_EQ(ratio.low, 0.9900990099009901);
  EXPECT_DOUBLE_EQ(ratio.high, 1.097134314340639);
  const Ratio inverse = ranked_ratio(subject, baseline);
  EXPECT_DOUBLE_EQ(inverse.value * ratio.value, 1);
  EXPECT_DOUBLE_EQ(inverse.low * ratio.high, 1);
}

TEST(RankedRatio, holds_what_is_true_19_times_of_20) {
  int held = 0;
  double width = 0, width_of_medians = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto one = drifting(100, 0.05, 2 * seed), two = drifting(100, 0.05, 2 * seed + 1);
    const Ratio ratio = ranked_ratio(one, two);
    held += ratio.low <= 1 && 1 <= ratio.high;
    if (seed >= 40) continue;
    const Ratio of_medians = paired_ratio(one, two);
    width += ratio.high - ratio.low;
    width_of_medians += of_medians.high - of_medians.low;
  }
  EXPECT_GE(held, 366);  // 0.95 of 400 are 380; three standard deviations are 14
  EXPECT_LE(held, 394);
  EXPECT_LT(width, 0.9 * width_of_medians);
}

}  // namespace
}  // namespace oddtile::reports
