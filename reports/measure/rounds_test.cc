#include "reports/measure/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

TEST(Rounds, EachOrderHasEachLaunchOnce) {
  Random random(1);
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 200; ++i) {
    std::vector<int> order = random_order(3, random);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Rounds, TimesAreThoseOfTheLaunch) {
  MadeUpClock clock([](size_t i, int round) { return double(10 * i) + round; });
  std::vector<int> before;
  const std::vector<Launch> launches(3, [] { return oddtile_ok; });
  const auto us = timed_rounds(launches, clock, 2, [&](int round) { before.push_back(round); });
  EXPECT_EQ(before, (std::vector<int>{0, 1}));
  EXPECT_EQ(us, (std::vector<std::vector<double>>{{0, 1}, {10, 11}, {20, 21}}));
}

}  // namespace
}  // namespace oddtile::reports
