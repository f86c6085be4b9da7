#include "properties/arithmetic/rule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/bits.h"
#include "kernels/base/random.h"

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

// What the bounds allow one group of products below 2^-126: kappa u of the magnitudes, operands
// taken for the smallest normal number at least, and 2^-149 a product.
TEST(Rule, StaysWithinWhatTheBoundsAllowSmallNumbers) {
  Random random(23);
  constexpr double kKappa = 17 * 0.5 + 2;  // K = 16, F = 25
  double worst[17] = {};
  for (int round = 0; round < 400'000; ++round) {
    const int products = 1 + int(random.below(16)), centre = 30 + int(random.below(40));
    uint16_t a[16] = {}, b[16] = {};
    const auto draw = [&] {
      const uint32_t field = random.below(uint32_t(centre));
      return uint16_t(random.below(2) << 15 | field << 7 | random.below(128));
    };
    long double exact = 0;
    double magnitude = 0;
    for (int k = 0; k < products; ++k) {
      a[k] = draw();
      b[k] = uint16_t(0x3F80 - (random.below(60) << 7) + random.below(128));
      const double left = bfloat16_to_float({a[k]}), right = bfloat16_to_float({b[k]});
      exact += (long double)(left)*right;
      if (left != 0) magnitude += std::max(std::fabs(left), 0x1p-126) * std::fabs(right);
    }
    const float c = random.below(2) == 0 ? 0 : std::ldexp(float(random.normal()), -140);
    exact += c;
    magnitude += std::fabs(double(c));
    const auto error = double(std::fabs(apply({}, a, b, c, true) - exact));
    const double rest = error - kKappa * 0x1p-24 * magnitude;
    worst[products] = std::max(worst[products], rest / (products * 0x1p-149));
  }
  for (int products = 1; products <= 16; ++products) {
    EXPECT_LE(worst[products], 1) << products;
    EXPECT_GT(worst[products], 0.5 / products) << products << ": nothing small was drawn";
  }
  fmt::print("2^-149 a product is used to {:.3f} by 1, {:.3f} by 2, {:.3f} by 16\n", worst[1],
             worst[2], worst[16]);
}

}  // namespace
}  // namespace oddtile::properties
