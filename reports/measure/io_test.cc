#include "reports/measure/io.h"

#include <gtest/gtest.h>

#include "reports/measure/stand_in.h"

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

TEST(Io, an_unclean_run_and_what_fused_declines_are_failures) {
  const auto ours = properties::sim_machine().implementations();
  oddtile_implementation writes_before = *ours[0], declines = *ours[1];
  writes_before.softmax = [](const oddtile_softmax_problem* p, int32_t id, void* work, void* at) {
    static_cast<char*>(p->y)[-1] = 0;
    return properties::sim_machine().implementations()[0]->softmax(p, id, work, at);
  };
  declines.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  StandIn machine({&writes_before, &declines});
  Record record;
  measure_io(machine, Effort::quick, &record);
  int unclean = 0;
  for (const Skip& skip : record.skips) {
    EXPECT_EQ(skip.broken, skip.what.starts_with("fused")) << skip.what;
    unclean += skip.what.starts_with("fused softmax");
  }
  EXPECT_EQ(unclean, 2);  // 64 and 512 columns
  declines.name = "fused";
  StandIn silent({&declines});
  Record nothing;
  measure_io(silent, Effort::quick, &nothing);
  ASSERT_FALSE(nothing.skips.empty());
  EXPECT_TRUE(nothing.skips[0].broken);
}

}  // namespace
}  // namespace oddtile::reports
