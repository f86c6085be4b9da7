#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

TEST(Sampling, HoldsFirstLastAndTileEdges) {
  const std::vector<int64_t> all = sampled_rows(10, 5, 4, {});
  EXPECT_EQ(all.size(), 10u);
  const Sampling few = {40, 3};
  const std::vector<int64_t> rows = sampled_rows(1000, 100, 16, few);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 999);
  EXPECT_GE(rows.size(), 14u);
  EXPECT_LE(rows.size(), 42u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const int64_t edge : {15, 16, 31, 32, 95, 96, 99})
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](int64_t row) {
      return row % 100 == edge;
    })) << edge;
  EXPECT_EQ(rows, sampled_rows(1000, 100, 16, few));
}

}  // namespace
}  // namespace oddtile::oracles
