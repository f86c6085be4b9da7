#include "reports/measure/error_sweep.h"

#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"

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
}

}  // namespace
}  // namespace oddtile::reports
