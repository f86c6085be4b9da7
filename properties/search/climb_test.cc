#include "properties/search/climb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/search/canary.h"

namespace oddtile::properties {
namespace {

const Cell kSoftmax = {oddtile_kernel_softmax, oddtile_fp32};
const Cell kAttention = {oddtile_kernel_attention, oddtile_fp16};

Contender emulation() {
  return contenders(oddtile_kernel_attention, sim_machine())[1];
}

TEST(climb, comes_higher_than_it_began_and_as_high_every_time) {
  const Climb what = {kSoftmax, emulation(), "y"};
  ASSERT_EQ(what.which.name, "emulated");
  const ClimbOptions options = {.seed = 4, .evaluations = 600};
  const Summit summit = climb(what, options, sim_machine(), nullptr);
  fmt::print("from {:.3f} to {:.3f} in {} changes\n", summit.climbed.first, summit.climbed.net,
             summit.climbed.changes);
  EXPECT_EQ(summit.violation, "");
  EXPECT_GT(summit.climbed.changes, 0);
  EXPECT_GT(summit.climbed.net, 1.2 * summit.climbed.first);
  EXPECT_LE(summit.climbed.net, 1);
  const Summit again = climb(what, options, sim_machine(), nullptr);
  EXPECT_EQ(again.climbed.net, summit.climbed.net);
  EXPECT_EQ(again.climbed.subject, summit.climbed.subject);
}

// The bounds are tight enough to be worth having: a third of what they allow is reached.
TEST(climb, reaches_a_third_of_each_bound_that_rounding_does_not_hide) {
  for (const auto& [cell, quantity] :
       {std::pair(kSoftmax, "y"), std::pair(kAttention, "o"), std::pair(kAttention, "lse")}) {
    double best = 0;
    for (uint64_t seed = 0; seed < 24 && best <= 0.3; ++seed) {
      const Climb what = {cell, emulation(), quantity};
      const Summit summit =
          climb(what, {.seed = seed, .evaluations = 4'000}, sim_machine(), nullptr);
      EXPECT_EQ(summit.violation, "");
      best = std::max(best, summit.climbed.net);
    }
    fmt::print("{} {}: {:.3f}\n", cell_name(cell), quantity, best);
    EXPECT_GT(best, 0.3) << cell_name(cell) << " " << quantity;
  }
}

TEST(climb, finds_a_violation_where_there_is_one) {
  const Climb what = {kSoftmax, {"canary", &canary()}, "y"};
  const Summit summit = climb(what, {.seed = 1, .evaluations = 2'000}, sim_machine(), nullptr);
  fmt::print("after {} evaluations: {}\n", summit.climbed.evaluations, summit.violation);
  EXPECT_NE(summit.violation, "");
}

TEST(climb, keeps_what_is_done_and_does_not_do_it_again) {
  SearchState state;
  SearchOptions options;
  options.kernel = oddtile_kernel_softmax;
  ASSERT_TRUE(climb_all(sim_machine(), options, 30, &state));
  EXPECT_EQ(state.climbs.size() % 3, 0u);  // three types
  EXPECT_GE(state.climbs.size(), 9u);
  const std::string before = print(state);
  int calls = 0;
  options.progress = [&](const SearchState&) { ++calls; };
  ASSERT_TRUE(climb_all(sim_machine(), options, 30, &state));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(print(state), before);
}

}  // namespace
}  // namespace oddtile::properties
