// The band arithmetic against the sentence of the contract, for every small shape.
#include "kernels/tile/visibility.cuh"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>

namespace oddtile::sim {
namespace {

bool visible(const Band& band, int64_t query, int64_t key) {
  return key >= 0 && key < band.key_length && band.low <= key - query && key - query <= band.high;
}

template <class Action>
void for_each_band(Action&& action) {
  constexpr int64_t kFar = int64_t(1) << 61;
  for (int64_t length = 0; length <= 9; ++length) {
    for (const int64_t low : {-kFar, int64_t(-4), int64_t(-1), int64_t(0), int64_t(3), kFar}) {
      for (const int64_t high : {-kFar, int64_t(-3), int64_t(0), int64_t(2), kFar}) {
        action(Band{length, low, high});
      }
    }
  }
}

// Position of the column that bit `bit` stands for, from the lane's first one.
int column_of_bit(int bit) {
  return 8 * (bit / 2) + bit % 2;
}

template <int columns, class Integer>
void expect_columns_before(Integer end) {
  const uint32_t bits = own_columns_before<columns>(end);
  for (int bit = 0; bit < 32; ++bit) {
    const bool before = bit < columns / 4 && column_of_bit(bit) < end;
    ASSERT_EQ(bits >> bit & 1, uint32_t(before)) << columns << " columns, " << end << ", " << bit;
  }
}

template <int columns>
void expect_columns_before_every_end() {
  for (int end = -2 * columns; end <= 2 * columns; ++end) {
    expect_columns_before<columns>(end);
    expect_columns_before<columns>(int64_t(end));
  }
  for (const int end : {INT_MIN, INT_MIN + 6, INT_MAX - 6, INT_MAX}) {
    expect_columns_before<columns>(end);
  }
  for (const int64_t end : {INT64_MIN, -(int64_t(1) << 32), int64_t(1) << 32, INT64_MAX}) {
    expect_columns_before<columns>(end);
  }
}

TEST(Visibility, own_columns_before_every_end) {
  expect_columns_before_every_end<8>();
  expect_columns_before_every_end<16>();
  expect_columns_before_every_end<32>();
  expect_columns_before_every_end<64>();
  expect_columns_before_every_end<128>();
}

TEST(Visibility, own_keys_seen_are_the_visible_ones) {
  int64_t seen = 0;
  int64_t checked = 0;
  for_each_band([&](const Band& band) {
    for (int64_t query = 0; query < 6; ++query) {
      for (int64_t first_key = 0; first_key < 12; first_key += 2) {
        const uint32_t bits = own_keys_seen<16>(band, query, first_key);
        ASSERT_EQ(bits >> 4, 0u);
        for (int bit = 0; bit < 4; ++bit, ++checked) {
          const bool expected = visible(band, query, first_key + column_of_bit(bit));
          EXPECT_EQ(bits >> bit & 1, uint32_t(expected));
          seen += expected;
        }
      }
    }
  });
  EXPECT_GT(checked, 10000);
  EXPECT_GT(seen, 1000);
}

TEST(Visibility, own_keys_seen_for_every_begin_and_end) {
  const int64_t kQuery = 1000;
  for (int64_t begin = -10; begin <= 140; ++begin) {
    for (int64_t end = -10; end <= 140; ++end) {
      const Band band = {int64_t(1) << 40, begin, end - 1};
      const uint32_t bits = own_keys_seen<128>(band, kQuery, kQuery);
      for (int bit = 0; bit < 32; ++bit) {
        const int column = column_of_bit(bit);
        ASSERT_EQ(bits >> bit & 1, uint32_t(column >= begin && column < end))
            << begin << " " << end << " " << bit;
      }
    }
  }
}

TEST(Visibility, tiles_outside_the_range_hold_no_visible_key) {
  for_each_band([&](const Band& band) {
    const Range keys = keys_of_queries(band, 2, 5);
    for (int64_t query = 2; query <= 5; ++query) {
      for (int64_t key = 0; key < 12; ++key) {
        if (visible(band, query, key)) {
          EXPECT_TRUE(key >= keys.begin && key < keys.end);
        }
      }
    }
  });
}

TEST(Visibility, sees_all_exactly_when_no_pair_is_hidden) {
  int64_t whole = 0;
  for_each_band([&](const Band& band) {
    bool all = true;
    for (int64_t query = 1; query <= 3; ++query) {
      for (int64_t key = 2; key < 6; ++key) all = all && visible(band, query, key);
    }
    EXPECT_EQ(sees_all(band, 1, 3, {2, 6}), all);
    whole += all;
  });
  EXPECT_GT(whole, 0);
}

}  // namespace
}  // namespace oddtile::sim
