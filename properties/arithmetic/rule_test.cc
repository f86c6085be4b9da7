#include "properties/arithmetic/rule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oddtile::properties {
namespace {

// 2^-149 - 2^-f in bf16: truncated to a subnormal it is 0, unless 2^-f is cut away before.
float less(const Rule& rule, int f, float addend = 0) {
  uint16_t a[16] = {0x3F80, 0xBF80}, b[16] = {0x0080, 0x0080};  // 1, -1; 2^-126
  a[0] = addend == 0 ? uint16_t(a[0] - (23 << 7)) : uint16_t(0);
  a[1] = uint16_t(a[1] - ((f - 126) << 7));
  return apply(rule, a, b, addend, true);
}

TEST(Rule, SmallNumbersShowTheFloorOfTheAlignment) {
  EXPECT_EQ(less({}, 158), 0.0f);
  EXPECT_EQ(less({}, 159), 0x1p-149f);
  EXPECT_EQ(less({.smallest_exponent = kNoSmallest}, 174), 0.0f);
  EXPECT_EQ(less({.smallest_exponent = -126}, 152), 0x1p-149f);
  // As an addend it counts with the exponent of the smallest normal number.
  EXPECT_EQ(less({}, 151, 0x1p-149f), 0.0f);
  EXPECT_EQ(less({}, 152, 0x1p-149f), 0x1p-149f);
  const uint16_t none[16] = {};
  EXPECT_EQ(apply({}, none, none, 0x1p-130f, true), 0x1p-130f);
  EXPECT_EQ(apply({.flushes_addends = true}, none, none, 0x1p-130f, true), 0.0f);
  EXPECT_EQ(apply({.flushes_results = true}, none, none, 0x1p-130f, true), 0.0f);
}

TEST(Rule, NothingIsPlusZero) {
  const uint16_t a[16] = {0xBF80 - (24 << 7)}, b[16] = {0x0080};  // -2^-150
  const float sum = apply({}, a, b, 0, true);
  EXPECT_EQ(sum, 0.0f);
  EXPECT_FALSE(std::signbit(sum));
  EXPECT_EQ(apply({}, a, b, -0x1p-149f, true), -0x1p-149f);
}

}  // namespace
}  // namespace oddtile::properties
