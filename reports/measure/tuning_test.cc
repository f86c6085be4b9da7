// Tuning on the simulator with a clock that is made up; sectors against what can be counted by
// hand.
#include "reports/measure/tuning.h"

#include <gtest/gtest.h>

#include <cstring>

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::MaskKind;
using oracles::SoftmaxCase;
using oracles::VectorAddCase;

// The copy takes 10 us, everything else 20, the third contender 90.
class FakeTimer : public Timer {
 public:
  std::vector<double> round(std::span<const Launch> launches, std::span<const int>) override {
    std::vector<double> us;
    for (size_t i = 0; i < launches.size(); ++i) {
      EXPECT_EQ(launches[i](), oddtile_ok);
      us.push_back(i == 0 ? 10 : (rounds == 0 && i == 3 ? 90 : 20));
    }
    ++rounds;
    return us;
  }
  std::optional<double> copy_rate(int64_t, int) override { return std::nullopt; }
  std::optional<double> matmul_rate(int64_t, int, std::string*) override { return std::nullopt; }
  Launch copying(void* to, const void* from, int64_t bytes) override {
    return [=] {
      std::memcpy(to, from, size_t(bytes));
      return oddtile_ok;
    };
  }
  Launch repeated(const Launch& launch, int) override { return launch; }
  int rounds = 0;
};

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
  FakeTimer timer;
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
  FakeTimer timer;
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
  FakeTimer timer;
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
  FakeTimer timer;
  properties::Machine& machine = properties::sim_machine();
  const TunedPoint point = tune({.problem = oracles::AttentionCase{}},
                                *machine.implementations()[0], machine, timer, {});
  EXPECT_NE(point.problem, "");
}

}  // namespace
}  // namespace oddtile::reports
