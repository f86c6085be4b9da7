#include "oracles/case/masks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace oddtile::oracles {
namespace {

std::vector<uint8_t> mask_row(MaskKind kind, int64_t row, int64_t columns, bool may_hide = false) {
  std::vector<uint8_t> bytes(static_cast<size_t>(columns));
  fill_mask(kind, Random(5), {row, columns, 0, may_hide}, bytes);
  return bytes;
}

int64_t visible(const std::vector<uint8_t>& row) {
  return int64_t(row.size()) - std::count(row.begin(), row.end(), 0);
}

TEST(Masks, KindsShowAsMuchAsTheyPromise) {
  EXPECT_EQ(visible(mask_row(MaskKind::all, 0, 1000)), 1000);
  EXPECT_EQ(visible(mask_row(MaskKind::nothing, 0, 1000)), 0);
  const auto between = [](int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high;
  };
  EXPECT_TRUE(between(visible(mask_row(MaskKind::half, 0, 1000)), 400, 600));
  EXPECT_TRUE(between(visible(mask_row(MaskKind::sparse, 0, 1000)), 30, 120));
  EXPECT_TRUE(between(visible(mask_row(MaskKind::dense, 0, 1000)), 880, 980));
  EXPECT_TRUE(between(visible(mask_row(MaskKind::runs, 0, 1000)), 200, 800));
  EXPECT_EQ(visible(mask_row(MaskKind::checkerboard, 0, 1000)), 500);
  const auto first = mask_row(MaskKind::first, 0, 100);
  EXPECT_EQ(visible(first), 1);
  EXPECT_NE(first.front(), 0);
  const auto last = mask_row(MaskKind::last, 0, 100);
  EXPECT_EQ(visible(last), 1);
  EXPECT_NE(last.back(), 0);
}

TEST(Masks, VisibleBytesAreAnyNonZeroNumber) {
  const auto row = mask_row(MaskKind::all, 0, 4000);
  EXPECT_EQ(std::set<uint8_t>(row.begin(), row.end()).size(), 255u);
}

TEST(Masks, SomeRowsAreHiddenWholeWhereThatIsAllowed) {
  for (MaskKind kind : {MaskKind::half, MaskKind::runs}) {
    int hidden = 0, hidden_anyway = 0;
    for (int64_t row = 0; row < 200; ++row) {
      hidden += visible(mask_row(kind, row, 64, true)) == 0;
      hidden_anyway += visible(mask_row(kind, row, 256, false)) == 0;
    }
    EXPECT_GT(hidden, 8);
    EXPECT_EQ(hidden_anyway, 0);
  }
}

TEST(KeyLengths, StayInsideExceptWhereTheyMustNot) {
  for (KeyLengths kind : {KeyLengths::full, KeyLengths::random, KeyLengths::mixed, KeyLengths::zero,
                          KeyLengths::outside}) {
    const AttentionCase c = {.batch = 200, .seq_k = 100, .lengths = kind};
    const auto stored = make_key_lengths(c, Random(1));
    ASSERT_EQ(stored.size(), 200u);
    const auto clamped = clamped_key_lengths(c, stored);
    int64_t changed = 0;
    for (size_t item = 0; item < 200; ++item) {
      EXPECT_GE(clamped[item], 0);
      EXPECT_LE(clamped[item], 100);
      changed += clamped[item] != stored[item];
    }
    EXPECT_EQ(changed, kind == KeyLengths::outside ? 200 : 0);
    const std::set<int64_t> distinct(clamped.begin(), clamped.end());
    if (kind == KeyLengths::full) {
      EXPECT_EQ(distinct, std::set<int64_t>{100});
    }
    if (kind == KeyLengths::zero) {
      EXPECT_EQ(distinct, std::set<int64_t>{0});
    }
    if (kind == KeyLengths::random) {
      EXPECT_GT(distinct.size(), 50u);
    }
    if (kind == KeyLengths::mixed) {
      EXPECT_GE(distinct.size(), 7u);
    }
  }
  EXPECT_TRUE(make_key_lengths(AttentionCase{}, Random(1)).empty());
}

TEST(KeyLengths, OutsideHoldsTheExtremes) {
  const auto stored =
      make_key_lengths({.batch = 200, .seq_k = 100, .lengths = KeyLengths::outside}, Random(1));
  const std::set<int32_t> distinct(stored.begin(), stored.end());
  EXPECT_EQ(distinct.count(std::numeric_limits<int32_t>::min()), 1u);
  EXPECT_EQ(distinct.count(std::numeric_limits<int32_t>::max()), 1u);
  EXPECT_EQ(distinct.count(-1), 1u);
  EXPECT_EQ(distinct.count(101), 1u);
}

// Visibility by band alone, also where 64-bit sums would overflow.
TEST(SeenKeys, FollowTheBand) {
  const auto seen = [](AttentionCase c) {
    const auto lengths = clamped_key_lengths(c, {});
    return seen_keys(c, lengths, nullptr);
  };
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(seen({.seq_q = 2, .seq_k = 4, .band_high = 0}), (Bytes{1, 1, 0, 0}));
  EXPECT_EQ(
      seen({.seq_q = 2, .seq_k = 4, .band_low = 0, .band_high = 0, .anchor = oddtile_bottom_right}),
      (Bytes{0, 0, 1, 1}));
  EXPECT_EQ(seen({.seq_q = 2, .seq_k = 4, .band_low = 2, .band_high = 1}), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(seen({.seq_q = 2,
                  .seq_k = 2,
                  .band_low = -(kUnbounded - 1),
                  .band_high = kUnbounded - 1,
                  .anchor = oddtile_bottom_right}),
            (Bytes{1, 1}));
  EXPECT_EQ(seen({.seq_q = 0, .seq_k = 2}), (Bytes{0, 0}));
}

}  // namespace
}  // namespace oddtile::oracles
