#include "oracles/case/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace oddtile::oracles {
namespace {

TEST(Sizes, HoldTileEdgesAndAscend) {
  const auto lengths = interesting_lengths();
  const auto columns = interesting_columns();
  EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end()));
  EXPECT_EQ(lengths.back(), 257);
  for (int64_t tile : {16, 32, 64, 128}) {
    for (int64_t length : {tile - 1, tile, tile + 1}) {
      EXPECT_EQ(std::count(lengths.begin(), lengths.end(), length), 1) << length;
    }
  }
  EXPECT_EQ(std::count(columns.begin(), columns.end(), 1025), 1);
}

TEST(Sizes, HeadSizesAreInTheirDomainAndSomeAreOdd) {
  for (int64_t size : interesting_head_sizes()) {
    EXPECT_GE(size, 1);
    EXPECT_LE(size, 256);
  }
  const auto sizes = interesting_head_sizes();
  for (int64_t size : {1, 8, 40, 46, 64, 80, 96, 100, 128, 160, 256}) {
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), size), 1) << size;
  }
}

TEST(Sizes, ScalesAreLegalAndHoldBothSignsAndZero) {
  const auto scales = interesting_scales();
  EXPECT_TRUE(std::all_of(scales.begin(), scales.end(), [](float s) { return std::isfinite(s); }));
  EXPECT_EQ(std::count(scales.begin(), scales.end(), 0.0f), 2);
  EXPECT_TRUE(std::any_of(scales.begin(), scales.end(), [](float s) { return s < 0; }));
  EXPECT_EQ(usual_scale(64), 0.125f);
}

TEST(Sizes, WorkCountsWholeTilesAndSaturates) {
  EXPECT_EQ(work_of({VectorAddCase{.n = 7}}), 7);
  EXPECT_EQ(work_of({SoftmaxCase{.rows = 3, .columns = 5}}), 15);
  EXPECT_EQ(
      work_of({AttentionCase{.heads_kv = 2, .group = 3, .seq_q = 4, .seq_k = 5, .head_dim = 8}}),
      6 * (32 * 32 * 16 + 9 * 8));
  const int64_t longest = int64_t(1) << 40;
  EXPECT_GT(work_of({AttentionCase{.batch = longest, .seq_q = longest, .seq_k = longest}}),
            int64_t(1) << 60);
}

}  // namespace
}  // namespace oddtile::oracles
