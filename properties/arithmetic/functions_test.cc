#include "properties/arithmetic/functions.h"

#include <gtest/gtest.h>

#include <bit>

namespace oddtile::properties {
namespace {

TEST(Functions, TheSimulatorEvaluatesButDoesNotSweep) {
  const auto got = evaluate(sim_machine(), ProbeFunction::exp2,
                            {std::bit_cast<uint32_t>(-3.0f), std::bit_cast<uint32_t>(0.0f)});
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(std::bit_cast<float>((*got)[0]), 0.125f);
  EXPECT_EQ(std::bit_cast<float>((*got)[1]), 1.0f);
  EXPECT_FALSE(measure_function(sim_machine(), ProbeFunction::exp2).has_value());
  EXPECT_FALSE(evaluate(sim_machine(), ProbeFunction::reciprocal, {0}).has_value());
}

TEST(Functions, AnotherArithmeticShows) {
  constexpr int64_t kCount = 20000;
  for (const ProbeFunction function : {ProbeFunction::exp2, ProbeFunction::log2})
    EXPECT_EQ(same_results(sim_machine(), sim_machine(), function, kCount), kCount);
  const std::vector<uint32_t> argument = {std::bit_cast<uint32_t>(-0.37f)};
  const auto own = evaluate(sim_machine(), ProbeFunction::exp2, argument);
  sim_machine().imitate(oracles::hardware_profile("nvidia-h200"));
  const auto other = evaluate(sim_machine(), ProbeFunction::exp2, argument);
  sim_machine().imitate(nullptr);
  EXPECT_NE(*own, *other);
}

}  // namespace
}  // namespace oddtile::properties
