#include "reports/measure/timing_points.h"

#include <gtest/gtest.h>

#include "oracles/case/text.h"
#include "reports/measure/amounts.h"

namespace oddtile::reports {
namespace {

TEST(TimingPoints, are_possible_and_keep_the_conventions) {
  for (const Effort effort : {Effort::quick, Effort::full}) {
    for (const TimingPoint& point : timing_points(effort)) {
      EXPECT_EQ(oracles::impossible(point.timed), "") << oracles::print(point.timed);
      EXPECT_EQ(oracles::impossible(point.edges), "") << oracles::print(point.edges);
      EXPECT_EQ(series(point.timed), series(point.edges));
      EXPECT_EQ(size(point.timed), size(point.edges));
      EXPECT_NE(family(point.timed), family(point.edges));
      if (const auto* c = std::get_if<oracles::AttentionCase>(&point.timed.problem)) {
        EXPECT_EQ(c->batch * c->seq_q, 16384);
        EXPECT_EQ(c->heads_q() * c->head_dim, 2048);
      }
    }
  }
}

TEST(TimingPoints, the_largest_eager_attention_is_beyond_the_limit) {
  int64_t most = 0;
  for (const TimingPoint& point : timing_points(Effort::full)) {
    most = std::max(most, materialised_bytes(point.timed));
  }
  EXPECT_EQ(most, int64_t(6) * 16384 * 16384 * 32);  // 51 GB: 32 heads of 16k x 16k
}

}  // namespace
}  // namespace oddtile::reports
