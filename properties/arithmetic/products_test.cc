// The search finds the rule of a machine whose rule is known: the simulator in a given arithmetic.
#include "properties/arithmetic/products.h"

#include <gtest/gtest.h>

#include "properties/arithmetic/imitation.h"

namespace oddtile::properties {
namespace {

TEST(Rule, IsFoundAndVerified) {
  for (const auto& [group, bits, rounds] :
       {std::tuple(16, 25, false), std::tuple(8, 24, false), std::tuple(4, 26, true)}) {
    const oracles::HardwareProfile profile = hardware(group, bits, rounds);
    const Imitation imitation(profile);
    const Fragments fragments = random_fragments(false, 16, Random(9));
    const auto sums = multiply(sim_machine(), ProbeProduct::mma, fragments);
    ASSERT_TRUE(sums.has_value());
    const std::vector<Rule> rules = fitted_rules(fragments, *sums);
    ASSERT_EQ(rules.size(), 1u) << rules[1].text();
    const Rule rule = rules[0];
    EXPECT_EQ(rule.group, group);
    EXPECT_EQ(rule.fraction_bits, bits);
    EXPECT_EQ(rule.aligns_to_nearest, rounds);
    EXPECT_EQ(rule.result_to_nearest, rounds);
    EXPECT_FALSE(rule.normalises);
    EXPECT_FALSE(rule.zeros_count);
    EXPECT_FALSE(rule.subnormals_as_normal);
    const auto verified =
        verify_products(sim_machine(), ProbeProduct::mma, false, rule, 64, &sim_machine());
    ASSERT_TRUE(verified.has_value());
    EXPECT_EQ(verified->outputs, 64 * 128);
    EXPECT_EQ(verified->agree, verified->outputs);
    EXPECT_EQ(verified->fragments_agree, 64);
  }
}

TEST(Rule, TheFloorOfTheAlignmentIsFound) {
  const oracles::HardwareProfile profile = hardware(16, 25, false);
  const Imitation imitation(profile);
  Fragments fragments = random_fragments(true, 32, Random(9));
  set_small_differences(fragments);
  const auto sums = multiply(sim_machine(), ProbeProduct::mma, fragments);
  ASSERT_TRUE(sums.has_value());
  const std::vector<Rule> rules = fitted_rules(fragments, *sums);
  ASSERT_FALSE(rules.empty());
  EXPECT_EQ(agreement(rules[0], fragments, *sums), int64_t(sums->size()));
  for (const Rule& rule : rules) EXPECT_EQ(rule.smallest_exponent, -133) << rule.text();
}

// Another rule than the machine's is noticed by the same comparison.
TEST(Rule, AWrongOneDisagrees) {
  const oracles::HardwareProfile profile = hardware(16, 25, false);
  const Imitation imitation(profile);
  for (const Rule& wrong : {Rule{.fraction_bits = 24}, Rule{.group = 8},
                            Rule{.result_to_nearest = true}, Rule{.zeros_count = true}}) {
    const auto verified =
        verify_products(sim_machine(), ProbeProduct::mma, false, wrong, 64, nullptr);
    ASSERT_TRUE(verified.has_value());
    EXPECT_LT(verified->agree, verified->outputs) << wrong.text();
  }
}

TEST(Rule, TheSimulatorHasNoWgmmaToProbe) {
  EXPECT_FALSE(multiply(sim_machine(), ProbeProduct::wgmma, Fragments(true, 1)).has_value());
}

}  // namespace
}  // namespace oddtile::properties
