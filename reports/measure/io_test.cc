#include "reports/measure/io.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

int64_t moved(const IoEntry& entry) {
  return entry.bytes_read + entry.bytes_written;
}
int64_t least(const IoEntry& entry) {
  return entry.minimum_read + entry.minimum_written;
}

TEST(Io, counts_are_repeatable_and_nobody_beats_the_minimum) {
  Record one, two;
  measure_io(properties::sim_machine(), Effort::quick, &one);
  measure_io(properties::sim_machine(), Effort::quick, &two);
  EXPECT_EQ(to_json(one), to_json(two));
  ASSERT_FALSE(one.io.empty());
  for (const IoEntry& entry : one.io) {
    EXPECT_GE(moved(entry), least(entry)) << entry.implementation << " " << entry.case_text;
    EXPECT_GT(entry.launches, 0);
  }
}

TEST(Io, fused_moves_less_than_eager_where_there_is_something_to_fuse) {
  Record record;
  measure_io(properties::sim_machine(), Effort::quick, &record);
  int compared = 0;
  for (const IoEntry& fused : record.io) {
    for (const IoEntry& eager : record.io) {
      if (fused.implementation != "fused" || eager.implementation != "eager") continue;
      if (fused.case_text != eager.case_text || fused.series == "vector_add fp32") continue;
      EXPECT_LT(moved(fused), moved(eager)) << fused.case_text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace oddtile::reports
