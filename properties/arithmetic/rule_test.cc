#include "properties/arithmetic/rule.h"

#include <gtest/gtest.h>

namespace oddtile::properties {
namespace {

// 2^-149 - 2^-160 in bf16: truncated to a subnormal it is 0, unless 2^-160 is cut away before.
TEST(Rule, SmallNumbersShowTheFloorOfTheAlignment) {
  uint16_t a[16] = {0x3F80, 0xBF80 - (11 << 7)}, b[16] = {0x0080, 0x0080};
  a[0] -= 23 << 7;
  a[1] -= 23 << 7;
  EXPECT_EQ(apply({}, a, b, 0, true), 0.0f);
  EXPECT_EQ(apply({.smallest_exponent = -126}, a, b, 0, true), 0x1p-149f);
  EXPECT_EQ(apply({.smallest_exponent = -140}, a, b, 0, true), 0.0f);
  const uint16_t none[16] = {};
  EXPECT_EQ(apply({}, none, none, 0x1p-130f, true), 0x1p-130f);
  EXPECT_EQ(apply({.flushes_addends = true}, none, none, 0x1p-130f, true), 0.0f);
  EXPECT_EQ(apply({.flushes_results = true}, none, none, 0x1p-130f, true), 0.0f);
}

}  // namespace
}  // namespace oddtile::properties
