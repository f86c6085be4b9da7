#include "kernels/attention/tile_order.h"

#include <gtest/gtest.h>

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
            body(tile_order(banded, heads, rows, bytes));
            ++count;
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
      const int32_t first = order.rows.first_group(place.row_tile);
      const int32_t end = order.rows.end_group(place.row_tile);
      ASSERT_GE(first, 0);
      ASSERT_LE(end, order.rows.groups);
      ASSERT_LE(end - first, order.rows.consumers);
      for (int32_t group = first; group < end; ++group) {
        ++drawn[size_t(place.head * order.rows.groups + group)];
      }
    }
    for (int times : drawn) ASSERT_EQ(times, 1);
  });
  EXPECT_EQ(count, 2 * 4 * 13 * 9 * 3);
}

// A section's heads are done before the next section's begin, and longer tiles come first.
TEST(tile_order, sections_follow_one_another) {
  for_each_order([](const TileOrder& order) {
    for (int32_t ticket = 1; ticket < order.tiles(); ++ticket) {
      const auto section_of = [&](int32_t head) {
        return std::min(head / order.section * order.section, order.last_section);
      };
      const TileOrder::Place before = order.place(ticket - 1);
      const TileOrder::Place place = order.place(ticket);
      ASSERT_GE(section_of(place.head), section_of(before.head));
      if (section_of(place.head) != section_of(before.head)) continue;
      if (order.last_rows_first) {
        ASSERT_LE(place.row_tile, before.row_tile);
      } else {
        ASSERT_GE(place.row_tile, before.row_tile);
      }
    }
  });
}

TEST(tile_order, the_last_section_is_large_where_the_cache_holds_it) {
  const RowTiles rows = row_tiles(16, 3, false);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 18).last_section, 512 - 64);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 20).last_section, 512 - 32);
  EXPECT_EQ(tile_order(true, 512, rows, int64_t(1) << 25).last_section, 512 - 16);
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
  EXPECT_EQ(row_tiles(17, 3, true).whole, 6);
  EXPECT_EQ(row_tiles(0, 3, true).count, 0);
}

}  // namespace
}  // namespace oddtile
