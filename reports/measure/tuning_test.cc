// Tuning on the simulator with a clock that is made up; sectors against what can be counted by
// hand.
#include "reports/measure/tuning.h"

#include <gtest/gtest.h>

#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::MaskKind;
using oracles::SoftmaxCase;
using oracles::VectorAddCase;

// The copy takes 10 us, everything else 20, the third contender 90.
MadeUpClock made_up_clock() {
  return MadeUpClock(
      [](size_t i, int round) { return i == 0 ? 10 : (round == 0 && i == 3 ? 90 : 20); });
}

int64_t sectors(const Case& subject) {
  return sector_bytes(oracles::materialise(subject, oracles::Poison::nan)) / 32;
}

TEST(Tuning, CountsSectorsOnce) {
  EXPECT_EQ(sectors({.problem = SoftmaxCase{.rows = 4, .columns = 8}}), 8);
  // 4 rows of 9 floats: 36 floats in a row, 4.5 sectors.
  EXPECT_EQ(sectors({.problem = SoftmaxCase{.rows = 4, .columns = 9}}), 10);
  // With a gap of 8 floats after each row of 8 the sectors are those of the rows.
  EXPECT_EQ(sectors({.problem = SoftmaxCase{.rows = 4, .columns = 8, .x_pad = 8, .y_pad = 8}}), 8);
  EXPECT_EQ(sectors({.problem = VectorAddCase{.n = 64}}), 24);
  // A mask of nothing: its two sectors; of everything: these and three times eight.
  EXPECT_EQ(sectors({.problem = VectorAddCase{.n = 64, .mask = MaskKind::nothing}}), 2);
  EXPECT_EQ(sectors({.problem = VectorAddCase{.n = 64, .mask = MaskKind::all}}), 26);
  // Every second element: as with everything, and out's sectors once more.
  EXPECT_EQ(sectors({.problem = VectorAddCase{.n = 64, .mask = MaskKind::checkerboard}}), 34);
}

TEST(Tuning, EveryConfigurationIsJudgedOnAShortCase) {
  MadeUpClock timer = made_up_clock();
  properties::Machine& machine = properties::sim_machine();
  const Case subject = {.problem = SoftmaxCase{.dtype = oddtile_bf16, .rows = 40, .columns = 33}};
  const TunedPoint point = tune(subject, *machine.implementations()[0], machine, timer,
                                {.rounds = 2, .elements_made = 200, .rows_judged = 3});
  EXPECT_EQ(point.problem, "");
  EXPECT_EQ(timer.rounds, 3);
  EXPECT_GT(point.configurations.size(), 5u);
  int64_t slow = 0, preferred = 0;
  for (const TunedConfiguration& one : point.configurations) {
    preferred += one.preferred;
    slow += one.verdict == "slow";
    if (one.verdict == "slow") continue;
    EXPECT_EQ(one.us, 20) << one.name;
    EXPECT_EQ(one.share, 0.5) << one.name;
    EXPECT_TRUE(one.verdict == "pass" || one.verdict == "vacuous") << one.name << one.verdict;
  }
  EXPECT_EQ(slow, 1);
  EXPECT_EQ(preferred, 1);
}

TEST(Tuning, TheFarEndIsComparedWithTheNearOne) {
  // Ours, except that rows from 100 on are not computed.
  MadeUpClock timer = made_up_clock();
  properties::Machine& machine = properties::sim_machine();
  oddtile_implementation table = *machine.implementations()[0];
  table.softmax = [](const oddtile_softmax_problem* problem, int32_t id, void* space,
                     void* stream) {
    oddtile_softmax_problem less = *problem;
    if (less.rows > 100) less.rows = 100;
    return properties::sim_machine().implementations()[0]->softmax(&less, id, space, stream);
  };
  const Case subject = {.problem = SoftmaxCase{.rows = 640, .columns = 8}};
  const TuningOptions options = {.rounds = 1, .preferred_only = true, .elements_made = 512};
  const TunedPoint wrong = tune(subject, table, machine, timer, options);
  ASSERT_EQ(wrong.configurations.size(), 1u);
  EXPECT_EQ(wrong.configurations[0].verdict, "fail: the far end differs");
  const TunedPoint right = tune(subject, *machine.implementations()[0], machine, timer, options);
  EXPECT_NE(right.configurations[0].verdict, "fail: the far end differs");
}

TEST(Tuning, AMaskOfAnotherDensity) {
  MadeUpClock timer = made_up_clock();
  properties::Machine& machine = properties::sim_machine();
  const Case subject = {.problem = VectorAddCase{.n = 6400, .mask = MaskKind::half}};
  const auto bytes_at = [&](double density) {
    return tune(subject, *machine.implementations()[0], machine, timer,
                {.rounds = 1, .verify = false, .density = density, .run = 64})
        .bytes;
  };
  EXPECT_EQ(bytes_at(0), 6400);
  EXPECT_EQ(bytes_at(1), 6400 * 13);
  EXPECT_LT(bytes_at(0.5), 6400 * 10) << "runs of 64 hide whole sectors";
}

TEST(Tuning, AttentionIsNotTuned) {
  MadeUpClock timer = made_up_clock();
  properties::Machine& machine = properties::sim_machine();
  const TunedPoint point = tune({.problem = oracles::AttentionCase{}},
                                *machine.implementations()[0], machine, timer, {});
  EXPECT_NE(point.problem, "");
}

}  // namespace
}  // namespace oddtile::reports
