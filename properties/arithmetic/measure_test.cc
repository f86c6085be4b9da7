#include "properties/arithmetic/measure.h"

#include <gtest/gtest.h>

#include "properties/arithmetic/imitation.h"

namespace oddtile::properties {
namespace {

// A machine in plain arithmetic follows no rule of groups: the measurement says so.
TEST(Measure, WhatFitsNoRuleIsNotComplete) {
  std::vector<std::string> lines;
  const MeasuredMachine measured = measure_machine(
      sim_machine(), sim_machine(), 2, [&](const std::string& line) { lines.push_back(line); },
      true);
  EXPECT_FALSE(measured.complete);
  EXPECT_GT(lines.size(), 10u);
}

}  // namespace
}  // namespace oddtile::properties
