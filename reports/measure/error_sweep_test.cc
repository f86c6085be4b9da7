#include "reports/measure/error_sweep.h"

#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"
#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

TEST(ErrorSweep, cases_are_possible_and_distinct) {
  for (const char* machine : {"sim", "cuda"}) {
    std::set<std::string> texts;
    for (const oracles::Case& subject : error_cases(machine, Effort::full)) {
      EXPECT_EQ(oracles::impossible(subject), "") << oracles::print(subject);
      EXPECT_TRUE(texts.insert(oracles::print(subject)).second) << oracles::print(subject);
    }
  }
  EXPECT_LT(error_cases("sim", Effort::quick).size(), error_cases("sim", Effort::full).size());
  EXPECT_LT(error_cases("sim", Effort::full).size(), error_cases("cuda", Effort::full).size());
}

TEST(ErrorSweep, an_entry_says_what_was_judged) {
  properties::Machine& sim = properties::sim_machine();
  const auto parsed = oracles::parse("softmax dtype=bf16 rows=2 columns=40 values=last_max");
  const oracles::Case subject = std::get<oracles::Case>(parsed);
  const oddtile_implementation& fused = *sim.implementations()[0];
  const properties::CheckResult result = properties::check_case(subject, fused, sim);
  const ErrorEntry entry = error_entry(subject, fused, sim, result);
  EXPECT_EQ(entry.implementation, "fused");
  EXPECT_EQ(entry.kernel, "softmax");
  EXPECT_EQ(entry.dtype, "bf16");
  EXPECT_EQ(entry.family, "last_max");
  EXPECT_EQ(entry.size, 40);
  ASSERT_EQ(entry.quantities.size(), 1u);
  EXPECT_EQ(entry.quantities[0].name, "y");
  EXPECT_EQ(entry.quantities[0].judged, 80);
  EXPECT_FALSE(entry.failure);
}

// Ours, except for softmax: the first case of it (7 columns) and all that are not fp32 are
// declined, and what is taken is never written.
oddtile_implementation choosy(const char* name) {
  oddtile_implementation table = *properties::sim_machine().implementations()[0];
  table.name = name;
  table.configurations = [](const oddtile_problem* p, int32_t* ids, int32_t capacity) {
    const bool taken = p->kernel == oddtile_kernel_softmax && p->softmax.columns == 64 &&
                       p->softmax.dtype == oddtile_fp32;
    return taken ? properties::sim_machine().implementations()[0]->configurations(p, ids, capacity)
                 : 0;
  };
  table.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) { return oddtile_ok; };
  return table;
}

TEST(ErrorSweep, a_declined_case_does_not_drop_the_later_ones) {
  const oddtile_implementation fused = choosy("fused"), eager = choosy("eager");
  StandIn machine({&fused, &eager});
  Record record;
  error_sweep(machine, Effort::quick, &record);
  EXPECT_EQ(record.errors.size(), 2 * 12u);  // families of fp32 at 64 columns
  ASSERT_EQ(record.skips.size(), 6u);        // a line for each kernel of each
  for (const Skip& skip : record.skips) {
    EXPECT_EQ(skip.broken, skip.what.find("of fused") != std::string::npos) << skip.what;
  }
}

TEST(ErrorSweep, a_failure_keeps_the_worst_element_and_the_replay) {
  const oddtile_implementation fused = choosy("fused");
  StandIn machine({&fused});
  const auto parsed = oracles::parse("softmax rows=2 columns=64 values=noise");
  const oracles::Case subject = std::get<oracles::Case>(parsed);
  const ErrorEntry entry =
      error_entry(subject, fused, machine, properties::check_case(subject, fused, machine));
  ASSERT_TRUE(entry.failure);
  EXPECT_EQ(entry.failure->tensor, "y");
  EXPECT_EQ(entry.failure->index.size(), 4u);
  EXPECT_EQ(entry.failure->ratio, entry.quantities[0].worst_share);
  EXPECT_NE(entry.failure->replay.find(entry.case_text), std::string::npos);
  ASSERT_GE(entry.failure->report.size(), 2u);
  EXPECT_EQ(entry.failure->report[0].find("within_bound"), 0u);
  EXPECT_EQ(entry.failure->report[1].find("y[row"), 0u) << entry.failure->report[1];
}

TEST(ErrorSweep, a_lost_device_is_a_failure) {
  const oddtile_implementation fused = choosy("fused");
  StandIn machine({&fused});
  machine.is_lost = true;
  Record record;
  error_sweep(machine, Effort::quick, &record);
  ASSERT_FALSE(record.skips.empty());
  EXPECT_TRUE(record.skips.back().broken);
  EXPECT_EQ(record.skips.back().reason, "the device is lost after an error");
}

}  // namespace
}  // namespace oddtile::reports
