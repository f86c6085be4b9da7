#include "oracles/judge/tally.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

TEST(Compare, RatiosAndInfinities) {
  const auto number = [](double exact, double bound) {
    return Expectation{Expectation::Kind::number, exact, bound};
  };
  EXPECT_EQ(compare(1, number(1, 0), 65520).ratio, 0);
  EXPECT_EQ(compare(1.5, number(1, 0), 65520).ratio, kNever);
  EXPECT_EQ(compare(1.5, number(1, 1), 65520).ratio, 0.5);
  EXPECT_EQ(compare(0.5, number(1, 1), 65520).share, -0.5);
  EXPECT_TRUE(compare(NAN, number(1, kNever), 65520).failed);
  EXPECT_EQ(compare(NAN, number(1, 1), 65520).ratio, kNever);
  // Overflow: the infinity of that side, where the bound reaches the threshold.
  EXPECT_FALSE(compare(INFINITY, number(65500, 30), 65520).failed);
  EXPECT_TRUE(compare(-INFINITY, number(65500, 30), 65520).failed);
  EXPECT_FALSE(compare(-INFINITY, number(-65500, 30), 65520).failed);
  EXPECT_TRUE(compare(INFINITY, number(65000, 30), 65520).failed);
  EXPECT_DEATH(compare(1, number(1, NAN), 65520), "broken invariant");
  EXPECT_DEATH(compare(1, number(1, -1), 65520), "broken invariant");
  EXPECT_DEATH(compare(1, number(NAN, 1), 65520), "broken invariant");
}

TEST(Tally, CountsWhateverTheChunks) {
  const Expectation expected{Expectation::Kind::number, 0, 1};
  const auto fill = [&](Tally& tally, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double got = i == 70 ? 3.0 : double(i) / 100;
      tally.add(compare(got, expected, kNever), got, expected, {0, 0, 0, i}, "within_bound");
    }
  };
  Tally whole, first, second;
  fill(whole, 0, 100);
  fill(first, 0, 40);
  fill(second, 40, 100);
  first.merge(second);
  for (const Tally& tally : {whole, first}) {
    const Quantity quantity = tally.quantity(Role::o);
    EXPECT_EQ(quantity.judged, 100);
    EXPECT_EQ(quantity.failed, 1);
    EXPECT_EQ(quantity.worst_ratio, 3);
    EXPECT_EQ(quantity.worst_index[3], 70);
    EXPECT_GT(quantity.p99_ratio, 0.97);
    EXPECT_LT(quantity.p99_ratio, 1.0);
    ASSERT_EQ(tally.findings().size(), 1u);
  }
}

TEST(Tally, NetsTheOutputsRoundingByRegime) {
  const Expectation expected{Expectation::Kind::number, 2, 1};
  Tally tally, later;
  tally.net(2.5, expected, 0.25, 16);    // (0.5 - 0.25) / (1 - 0.25)
  tally.net(1.8, expected, 0.25, 16);    // below the rounding
  tally.net(2.25, expected, 0.25, 256);  // just hidden
  later.net(1, expected, 0.5, 257);
  later.net(1.25, expected, 0, 300);
  later.net(INFINITY, expected, 0, 257);                                 // a class, no number
  later.net(9, {Expectation::Kind::number, 2, kNever}, 0, 257);          // any number is within
  later.net(2 + 1e-9, {Expectation::Kind::number, 2, 1e-9}, 1e-9, 257);  // nothing but rounding
  tally.merge(later);
  tally.add(compare(2, expected, kNever), 2, expected, {0, 0, 0, 0}, "within_bound");
  const Quantity quantity = tally.quantity(Role::o);
  EXPECT_DOUBLE_EQ(quantity.worst_net[0], 1.0 / 3);
  EXPECT_EQ(quantity.worst_net[1], 0);
  EXPECT_EQ(quantity.worst_net[2], 1);
  EXPECT_EQ(quantity.net_drawn, (std::array{true, true, true}));
}

// A share of 0 says something only where a number with a bound was there to have one.
TEST(Tally, NetSharesAreDrawnByNumbersWithABound) {
  const Expectation expected{Expectation::Kind::number, 2, 1};
  Tally tally;
  tally.add(compare(2, expected, kNever), 2, expected, {0, 0, 0, 0}, "within_bound");
  EXPECT_EQ(tally.quantity(Role::o).net_drawn, (std::array{false, false, false}));
  tally.net(2, expected, 1, 17);  // all of the bound is rounding: drawn, and hidden
  tally.net(9, {Expectation::Kind::number, 2, kNever}, 0, 257);
  EXPECT_EQ(tally.quantity(Role::o).net_drawn, (std::array{false, true, false}));
}

// Any number would be within it: that is no judgement, but a NaN is still wrong.
TEST(Tally, AnInfiniteBoundDecidesClassesAlone) {
  const Expectation expected{Expectation::Kind::number, 2, kNever};
  Tally tally;
  tally.add(compare(1e9, expected, kNever), 1e9, expected, {0, 0, 0, 0}, "within_bound");
  EXPECT_EQ(tally.judged(), 0);
  EXPECT_EQ(tally.not_judged(), 1);
  tally.add(compare(NAN, expected, kNever), NAN, expected, {0, 0, 0, 1}, "within_bound");
  EXPECT_EQ(tally.judged(), 1);
  EXPECT_EQ(tally.failed(), 1);
}

TEST(Tally, KeepsTheWorstFindings) {
  Tally tally;
  const Expectation expected{Expectation::Kind::number, 0, 1};
  for (int64_t i = 0; i < 50; ++i) {
    const double got = 2 + double(i * 7 % 50);
    tally.add(compare(got, expected, kNever), got, expected, {0, 0, 0, i}, "within_bound");
  }
  ASSERT_EQ(tally.findings().size(), Tally::kFindings);
  EXPECT_EQ(tally.findings()[0].ratio, 51);
  EXPECT_EQ(tally.findings()[7].ratio, 44);
}

}  // namespace
}  // namespace oddtile::oracles
