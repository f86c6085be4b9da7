// The search finds the rule of a machine whose rule is known: the simulator in a given arithmetic.
#include "properties/arithmetic/products.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/base/bits.h"

namespace oddtile::properties {
namespace {

oracles::HardwareProfile hardware(int group, int fraction_bits, bool rounds) {
  oracles::HardwareProfile profile = *oracles::hardware_profile("nvidia-h200");
  profile.mma_products = group;
  profile.mma_fraction_bits = fraction_bits;
  profile.mma_rounds = rounds;
  return profile;
}

class Imitation {
 public:
  explicit Imitation(const oracles::HardwareProfile& profile) { machine().imitate(&profile); }
  ~Imitation() { machine().imitate(nullptr); }
  static Machine& machine() { return sim_machine(); }
};

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

TEST(Facts, ShowTheBitsThatAreKept) {
  const oracles::HardwareProfile profile = hardware(16, 25, false);
  const Imitation imitation(profile);
  const auto lines = product_facts(sim_machine(), ProbeProduct::mma, true);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[0].find("survives at 0 of 210"), std::string::npos) << lines[0];
  EXPECT_NE(lines[3].find("2^120 is inf, + half of its last bit 3.4"), std::string::npos)
      << lines[3];
  EXPECT_NE(lines[1].find("powers 25, product 2.25 25, addend 25"), std::string::npos) << lines[1];
}

// A row of a, a column of b and a sum are where the machine looks for them.
TEST(Fragments, ElementsLieWhereTheLanesHoldThem) {
  Fragments fragments(false, 2);
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 16; ++k)
      fragments.set_a(1, row, k, float_to_half(float(row + 1) / 16 + (k == 3)).bits);
  for (int column = 0; column < 8; ++column)
    fragments.set_b(1, 3, column, float_to_half(float(1 << column)).bits);
  fragments.addend[size_t(Fragments::sum_index(1, 11, 6))] = 1000;
  const auto sums = multiply(sim_machine(), ProbeProduct::mma, fragments);
  ASSERT_TRUE(sums.has_value());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      const float want = (float(row + 1) / 16 + 1) * float(1 << column) +
                         (row == 11 && column == 6 ? 1000.0f : 0.0f);
      EXPECT_EQ((*sums)[size_t(Fragments::sum_index(1, row, column))], want)
          << row << ' ' << column;
      EXPECT_EQ((*sums)[size_t(Fragments::sum_index(0, row, column))], 0.0f);
    }
}

}  // namespace
}  // namespace oddtile::properties
