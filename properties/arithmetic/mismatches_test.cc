#include "properties/arithmetic/mismatches.h"

#include <gtest/gtest.h>

#include "properties/arithmetic/imitation.h"
#include "properties/arithmetic/products.h"

namespace oddtile::properties {
namespace {

// A rule that cuts at 2^-126 - 25 finds what differs from one that does not, and shows it in full.
TEST(Mismatches, AreCountedAndShown) {
  const oracles::HardwareProfile profile = hardware(16, 25, false);
  const Imitation imitation(profile);
  Mismatches none, some;
  const auto verify = [&](const Rule& rule, Mismatches* into) {
    return *verify_products(sim_machine(), ProbeProduct::mma, true, rule, 256, nullptr, into);
  };
  const auto right = verify({}, &none);
  EXPECT_EQ(right.agree, right.outputs);
  EXPECT_TRUE(none.lines().empty());
  const auto wrong = verify({.smallest_exponent = -124}, &some);
  EXPECT_LT(wrong.agree, wrong.outputs);
  EXPECT_EQ(some.count(), wrong.outputs - wrong.agree);
  EXPECT_GE(some.lines().size(), 2u);
}

}  // namespace
}  // namespace oddtile::properties
