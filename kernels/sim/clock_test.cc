#include "kernels/sim/clock.h"

#include <gtest/gtest.h>

namespace oddtile::simulator {
namespace {

TEST(Clock, joins_by_agent) {
  Clock a;
  Clock b;
  a.raise(3, 5);
  a.raise(3, 4);
  b.raise(3, 2);
  b.raise(700, 1);
  EXPECT_EQ(a.at(3), 5u);
  EXPECT_EQ(a.at(4), 0u);
  EXPECT_EQ(a.at(700), 0u);
  a.join(b);
  EXPECT_EQ(a.at(3), 5u);
  EXPECT_EQ(a.at(700), 1u);
  EXPECT_EQ(b.at(3), 2u);
}

TEST(Clock, copies_share_until_one_changes) {
  Clock a;
  a.raise(0, 1);
  Clock b = a;
  EXPECT_TRUE(a.shares(b));
  b.raise(0, 1);  // nothing new
  EXPECT_TRUE(a.shares(b));
  b.raise(0, 2);
  EXPECT_FALSE(a.shares(b));
  EXPECT_EQ(a.at(0), 1u);
  Clock empty;
  empty.join(a);
  EXPECT_TRUE(empty.shares(a));
}

TEST(ClockMemo, gives_lanes_that_learn_the_same_one_clock) {
  ClockMemo memo;
  Clock base;
  base.raise(1, 1);
  Clock news;
  news.raise(2, 9);
  Clock lanes[32];
  for (Clock& lane : lanes) {
    lane = base;
    memo.join(lane, news);
    memo.raise(lane, 5, 7);
  }
  for (const Clock& lane : lanes) {
    EXPECT_TRUE(lane.shares(lanes[0]));
    EXPECT_EQ(lane.at(1), 1u);
    EXPECT_EQ(lane.at(2), 9u);
    EXPECT_EQ(lane.at(5), 7u);
  }
  EXPECT_EQ(base.at(2), 0u);
  Clock other = base;
  memo.raise(other, 5, 8);
  EXPECT_EQ(other.at(5), 8u);
  EXPECT_EQ(lanes[0].at(5), 7u);
}

}  // namespace
}  // namespace oddtile::simulator
