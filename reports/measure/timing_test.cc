// The whole path of a timed point, on the simulator with a clock that is made up: what is tested is
// what surrounds the clock.
#include "reports/measure/timing.h"

#include <gtest/gtest.h>

#include "oracles/case/text.h"
#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

// The first contender takes 20 us, each next one twice as long.
MadeUpClock made_up_clock() {
  return MadeUpClock([](size_t i, int) { return 20.0 * double(1 << i); });
}

const oddtile_implementation& fused() {
  return *properties::sim_machine().implementations()[0];
}

// Ours, except that one function does nothing at all.
oddtile_implementation broken(oddtile_status status) {
  oddtile_implementation table = fused();
  table.name = "broken";
  if (status == oddtile_ok) {
    table.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) {
      return oddtile_ok;
    };
  } else {
    table.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) {
      return oddtile_launch_failed;
    };
  }
  return table;
}

std::vector<TimingEntry> timed(std::vector<Contender> contenders, std::vector<Skip>* skips) {
  const auto parsed = oracles::parse("softmax rows=4 columns=100 values=noise");
  const oracles::Case subject = std::get<oracles::Case>(parsed);
  MadeUpClock timer = made_up_clock();
  const TimingPlan plan = {.rounds = 5};
  const auto entries = time_point({subject, edge_case(subject)}, contenders,
                                  properties::sim_machine(), timer, plan, skips);
  EXPECT_EQ(timer.rounds, entries.empty() ? 0 : 5);
  return entries;
}

TEST(Timing, fused_and_eager_are_compared_and_verified) {
  std::vector<Contender> contenders;
  for (const auto* which : properties::sim_machine().implementations()) {
    contenders.push_back({which, {}});
  }
  std::vector<Skip> skips;
  const auto entries = timed(contenders, &skips);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(skips.empty());
  EXPECT_EQ(entries[0].baseline, "eager");
  EXPECT_DOUBLE_EQ(entries[0].ratio, 2);
  EXPECT_DOUBLE_EQ(entries[0].us_median, 20);
  EXPECT_DOUBLE_EQ(entries[0].rate, 2 * 4 * 100 * 4 / 20.0 * 1e-3);
  EXPECT_EQ(entries[1].baseline, "");
  for (const TimingEntry& entry : entries) EXPECT_TRUE(entry.verified) << entry.implementation;
}

TEST(Timing, outputs_that_are_never_written_are_not_verified) {
  const oddtile_implementation table = broken(oddtile_ok);
  std::vector<Skip> skips;
  const auto entries = timed({{&table, {}}}, &skips);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_FALSE(entries[0].verified);
  EXPECT_EQ(entries[0].verdict, "fail");
}

TEST(Timing, what_cannot_be_launched_is_skipped_with_its_reason) {
  const oddtile_implementation table = broken(oddtile_launch_failed);
  std::vector<Skip> skips;
  EXPECT_TRUE(timed({{&table, {}}}, &skips).empty());
  ASSERT_EQ(skips.size(), 1u);
  EXPECT_EQ(skips[0].reason, fused().status_text(oddtile_launch_failed));
  EXPECT_TRUE(skips[0].broken);
  timed({{.table = &table, .peer = true}}, &skips);
  EXPECT_FALSE(skips[1].broken);
}

TEST(Timing, only_fused_must_offer_what_is_timed) {
  oddtile_implementation declines = fused();
  declines.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  std::vector<Skip> skips;
  timed({{&declines, {}}}, &skips);
  EXPECT_TRUE(skips[0].broken);
  declines.name = "eager";
  timed({{&declines, {}}}, &skips);
  EXPECT_FALSE(skips[1].broken);
}

TEST(Timing, a_lost_device_is_a_failure) {
  const auto parsed = oracles::parse("softmax rows=4 columns=100 values=noise");
  const oracles::Case subject = std::get<oracles::Case>(parsed);
  const std::vector<Contender> contenders = {{&fused(), {}}};
  StandIn machine({&fused()});
  machine.is_lost = true;
  MadeUpClock timer = made_up_clock();
  Record record;
  time_points({{subject, edge_case(subject)}}, contenders, machine, timer, {}, &record);
  std::vector<Skip> skips;
  time_point({subject, edge_case(subject)}, contenders, machine, timer, {}, &skips);
  for (const Skip& last : {record.skips.back(), skips.back()}) {
    EXPECT_TRUE(last.broken);
    EXPECT_EQ(last.reason, "the device is lost after an error");
  }
}

TEST(Timing, no_rate_where_hidden_pairs_are_not_counted) {
  const auto parsed = oracles::parse(
      "attention seq_q=20 seq_k=20 head_dim=16 mask=half scores=noise contents=noise");
  const oracles::Case subject = std::get<oracles::Case>(parsed);
  const std::vector<Contender> contenders = {{&fused(), {}}};
  MadeUpClock timer = made_up_clock();
  std::vector<Skip> skips;
  const auto entries = time_point({subject, edge_case(subject)}, contenders,
                                  properties::sim_machine(), timer, {.rounds = 2}, &skips);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].us_median, 20);
  EXPECT_EQ(entries[0].rate_unit, "");
  EXPECT_EQ(entries[0].rate, 0);
  EXPECT_EQ(entries[0].flops, 0);
}

TEST(Timing, a_peer_delivers_once_for_the_times_and_once_for_the_edges) {
  int delivered = 0;
  std::vector<Skip> skips;
  const auto entries = timed({{&fused(), [&] { ++delivered; }}}, &skips);
  EXPECT_EQ(delivered, 2);
  EXPECT_TRUE(entries[0].verified);
}

TEST(Timing, many_points_keep_their_order) {
  std::vector<TimingPoint> points;
  for (int columns = 20; columns < 45; ++columns) {
    const auto parsed =
        oracles::parse("softmax rows=2 columns=" + std::to_string(columns) + " values=noise");
    const oracles::Case subject = std::get<oracles::Case>(parsed);
    points.push_back({subject, edge_case(subject)});
  }
  const std::vector<Contender> contenders = {{&fused(), {}}};
  MadeUpClock timer = made_up_clock();
  Record record;
  time_points(points, contenders, properties::sim_machine(), timer, {.rounds = 2}, &record);
  ASSERT_EQ(record.timings.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(record.timings[i].size, int64_t(20 + i));
    EXPECT_TRUE(record.timings[i].verified);
  }
}

}  // namespace
}  // namespace oddtile::reports
