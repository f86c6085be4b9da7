// The band arithmetic against the sentence of the contract, for every small shape.
#include "kernels/tile/visibility.cuh"

#include <gtest/gtest.h>

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

TEST(Visibility, columns_of_query_are_the_visible_keys) {
  int64_t checked = 0;
  for_each_band([&](const Band& band) {
    for (int64_t query = 0; query < 6; ++query) {
      for (int64_t first_key = 0; first_key < 12; first_key += 4) {
        const Columns columns = columns_of_query(band, query, first_key, 4);
        for (int column = 0; column < 4; ++column, ++checked) {
          EXPECT_EQ(column >= columns.begin && column < columns.end,
                    visible(band, query, first_key + column));
        }
      }
    }
  });
  EXPECT_GT(checked, 10000);
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
