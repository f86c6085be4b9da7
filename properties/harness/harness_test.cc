#include "properties/harness/harness.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace oddtile::properties {
namespace {

TEST(run_case, runs_and_counts_what_it_launched) {
  oracles::Case subject;
  subject.problem = oracles::VectorAddCase{.n = 1000};
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  const Outcome outcome = run_case(subject, fused, sim_machine());
  EXPECT_TRUE(outcome.clean()) << (outcome.violations.empty() ? "" : outcome.violations[0]);
  EXPECT_GE(outcome.counters.launches, 1);
  EXPECT_EQ(outcome.counters.bytes_written, 4000);
  EXPECT_EQ(outcome.counters.bytes_read, 8000);
}

TEST(run_case, takes_the_configuration_that_the_case_names) {
  oracles::Case subject;
  subject.problem = oracles::VectorAddCase{.n = 100};
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  const int32_t preferred = run_case(subject, fused, sim_machine()).configuration;
  subject.configuration = 0;
  EXPECT_EQ(run_case(subject, fused, sim_machine()).configuration, preferred);
  subject.configuration = 1;
  EXPECT_NE(run_case(subject, fused, sim_machine()).configuration, preferred);
}

// Ids of softmax encode alignment, so a position is not an id; `oddtile list` prints positions.
TEST(run_case, takes_the_configuration_by_its_position) {
  oracles::Case subject;
  subject.problem = oracles::SoftmaxCase{.rows = 2, .columns = 1000};
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  std::set<std::string> names;
  for (subject.configuration = 0; subject.configuration < 3; ++subject.configuration) {
    const Outcome outcome = run_case(subject, fused, sim_machine());
    EXPECT_EQ(outcome.position, subject.configuration);
    names.insert(outcome.profile.name);
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST(run_case, says_so_when_a_problem_is_not_offered) {
  oddtile_implementation nothing = *sim_machine().implementations()[0];
  nothing.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const Outcome outcome = run_case({oracles::SoftmaxCase{}}, nothing, sim_machine());
  EXPECT_EQ(outcome.status, oddtile_unsupported);
  EXPECT_EQ(outcome.configuration, -1);
  EXPECT_TRUE(outcome.violations.empty());
}

}  // namespace
}  // namespace oddtile::properties
