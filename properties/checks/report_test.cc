#include "properties/checks/report.h"

#include <gtest/gtest.h>

namespace oddtile::properties {
namespace {

oddtile_implementation named(const char* name) {
  oddtile_implementation table = *sim_machine().implementations()[0];
  table.name = name;
  return table;
}

TEST(report, replay_line_names_what_is_not_the_default) {
  const oracles::Case subject = {oracles::VectorAddCase{.n = 3}};
  EXPECT_EQ(replay_line(subject, named("fused"), sim_machine()), "oddtile run 'vector_add n=3'");
  EXPECT_EQ(replay_line(subject, named("eager"), sim_machine()),
            "oddtile run 'vector_add n=3' --implementation eager");
}

TEST(report, shows_eight_lines_of_a_property_and_counts_the_rest) {
  Broken broken{"within_bound"};
  EXPECT_TRUE(broken.holds());
  for (int i = 0; i < 100; ++i) broken.add([&] { return "line " + std::to_string(i); });
  EXPECT_FALSE(broken.holds());
  const std::string text = failure_report({oracles::VectorAddCase{.n = 3}}, named("fused"),
                                          sim_machine(), Outcome{}, {broken});
  EXPECT_NE(text.find("within_bound: vector_add of fused on sim"), std::string::npos) << text;
  EXPECT_NE(text.find("  line 7\n  ... and 92 more\noddtile run 'vector_add n=3'\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace oddtile::properties
