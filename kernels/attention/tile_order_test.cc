#include "kernels/attention/tile_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace oddtile {
namespace {

// body(order), for all kinds of orders; how many there were.
template <class Body>
int for_each_order(const Body& body) {
  int count = 0;
  for (bool banded : {false, true}) {
    for (int64_t bytes : {int64_t(0), int64_t(1) << 16, int64_t(1) << 20, int64_t(1) << 30}) {
      for (int heads : {1, 2, 15, 16, 17, 31, 63, 64, 65, 79, 80, 81, 200}) {
        for (int groups : {1, 2, 3, 4, 5, 6, 7, 8, 22}) {
          for (int consumers : {1, 2, 3}) {
            const RowTiles rows = row_tiles(groups, consumers, !banded);
            const TileOrder order = tile_order(banded, heads, rows, bytes);
            body(order);
            TileOrder more = order;
            more.last_rows = with_more_tiles(rows, 1);
            const bool can = consumers == 3 && more.last_rows.whole >= 0;
            body(can ? more : order);
            count += 2;
          }
        }
      }
    }
  }
  return count;
}

TEST(tile_order, every_group_of_queries_is_drawn_once) {
  const int count = for_each_order([](const TileOrder& order) {
    std::vector<int> drawn(size_t(order.heads * order.rows.groups), 0);
    for (int32_t ticket = 0; ticket < order.tiles(); ++ticket) {
      const TileOrder::Place place = order.place(ticket);
      ASSERT_GE(place.head, 0);
      ASSERT_LT(place.head, order.heads);
      ASSERT_GE(place.first_group, 0);
      ASSERT_LE(place.end_group, order.rows.groups);
      ASSERT_LE(place.end_group - place.first_group, order.rows.consumers);
      for (int32_t group = place.first_group; group < place.end_group; ++group) {
        ++drawn[size_t(place.head * order.rows.groups + group)];
      }
    }
    for (int times : drawn) ASSERT_EQ(times, 1);
  });
  EXPECT_EQ(count, 2 * 2 * 4 * 13 * 9 * 3);
}

// A section's heads are done before the next section's begin, and longer tiles come first.
TEST(tile_order, sections_follow_one_another) {
  for_each_order([](const TileOrder& order) {
    for (int32_t ticket = 1; ticket < order.tiles(); ++ticket) {
      const auto section_of = [&](int32_t head) {
        return std::min(head / order.section.value() * order.section.value(), order.last_section);
      };
      const TileOrder::Place before = order.place(ticket - 1);
      const TileOrder::Place place = order.place(ticket);
      ASSERT_GE(section_of(place.head), section_of(before.head));
      if (section_of(place.head) != section_of(before.head)) continue;
      if (order.last_rows_first) {
        ASSERT_LE(place.first_group, before.first_group);
      } else {
        ASSERT_GE(place.first_group, before.first_group);
      }
    }
  });
}

TEST(tile_order, the_last_section_is_large_where_the_cache_holds_it) {
  const RowTiles rows = row_tiles(16, 3, false);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 18).last_section, 512 - 64);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 20).last_section, 512 - 32);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 23).last_section, 512 - 16);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 24).last_section, 512 - 8);
  EXPECT_EQ(tile_order(true, 4, rows, int64_t(1) << 25).last_section, 0);
  EXPECT_EQ(tile_order(false, 512, rows, int64_t(1) << 20).last_section, 512 - 16);
  EXPECT_EQ(tile_order(false, 512, rows, int64_t(1) << 25).last_section, 512 - 1);
}

TEST(row_tiles, share_a_group_that_is_left_over) {
  const RowTiles rows = row_tiles(16, 3, true);
  EXPECT_EQ(rows.count, 6);
  EXPECT_EQ(rows.whole, 4);
  EXPECT_EQ(rows.first_group(4), 12);
  EXPECT_EQ(rows.first_group(5), 14);
  EXPECT_EQ(rows.end_group(5), 16);
  EXPECT_EQ(row_tiles(16, 3, false).whole, 6);
  EXPECT_EQ(row_tiles(16, 2, true).whole, 8);
  EXPECT_EQ(row_tiles(1, 3, true).whole, 1);
  EXPECT_EQ(row_tiles(17, 3, true).whole, 5);
  EXPECT_EQ(row_tiles(15, 2, true).whole, 7);
  EXPECT_EQ(row_tiles(0, 3, true).count, 0);
}

// Multiprocessors that really take tiles as they fall free.
int64_t simulated(int64_t whole, int64_t shorter, int multiprocessors) {
  std::vector<int64_t> done(size_t(multiprocessors), 0);
  for (int64_t tile = 0; tile < whole + shorter; ++tile) {
    *std::min_element(done.begin(), done.end()) += tile < whole ? kWholeTime : kShorterTime;
  }
  return *std::max_element(done.begin(), done.end());
}

TEST(full_last_wave, counts_as_multiprocessors_would) {
  for (int multiprocessors : {1, 2, 5, 132}) {
    for (int whole : {0, 1, 4, 131, 132, 133, 1280}) {
      for (int shorter : {0, 1, 3, 40, 131, 132, 300}) {
        ASSERT_EQ(time_until_done(whole, shorter, multiprocessors),
                  simulated(whole, shorter, multiprocessors))
            << whole << ' ' << shorter << ' ' << multiprocessors;
      }
    }
  }
}

TEST(full_last_wave, has_shorter_tiles_where_they_gain) {
  constexpr int64_t kHead = int64_t(1) << 22;
  // 32 heads of 8192 queries: 42 whole tiles and a shorter one, 10.4 waves of 132.
  const TileOrder order = tile_order(false, 32, row_tiles(128, 3, true), kHead);
  EXPECT_EQ(time_until_done(order, 132), 11 * kWholeTime);
  const TileOrder full = with_full_last_wave(order, 132);
  EXPECT_EQ(time_until_done(full, 132), 10 * kWholeTime + kShorterTime);
  EXPECT_EQ(full.rows.count, 43);
  EXPECT_EQ(full.last_rows.count, 45);
  EXPECT_EQ(full.last_rows.end_group(44), 128);
  // Nothing to gain: four whole waves.
  const TileOrder even = tile_order(false, 264, row_tiles(6, 3, true), kHead);
  EXPECT_EQ(with_full_last_wave(even, 132).last_rows.count, 2);
}

TEST(full_last_wave, is_never_later) {
  for (int multiprocessors : {2, 80, 114, 132}) {
    for (int heads : {1, 2, 7, 16, 64, 100}) {
      for (int groups = 0; groups < 60; ++groups) {
        const TileOrder order = tile_order(false, heads, row_tiles(groups, 3, true), 1 << 20);
        const TileOrder full = with_full_last_wave(order, multiprocessors);
        ASSERT_GE(full.last_rows.whole, 0);
        ASSERT_GE(full.last_rows.first_group(full.last_rows.count), groups);
        ASSERT_LE(time_until_done(full, multiprocessors), time_until_done(order, multiprocessors));
      }
    }
  }
}

}  // namespace
}  // namespace oddtile
