// The grouped arithmetic against the same rule in 128-bit integers, which shares nothing with it:
// operands are taken apart into sign, significand and exponent, and only integers are added.
#include "kernels/sim/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/base/bits.h"
#include "kernels/base/random.h"

namespace oddtile::simulator {
namespace {

using Wide = __int128;
using sim::Arithmetic;

// significand * 2^scale, and the exponent with which it takes part in an alignment.
struct Number {
  Wide significand = 0;
  int scale = 0;
  int exponent = 0;
};

Number take_apart(uint32_t bits, int fraction, int exponent_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int field = int(bits >> fraction) & ((1 << exponent_bits) - 1);
  const Wide low = bits & ((1u << fraction) - 1);
  const bool negative = bits >> (fraction + exponent_bits) & 1;
  const Wide size = field == 0 ? low : low | Wide(1) << fraction;
  const int exponent = std::max(field, 1) - bias;
  return {negative ? -size : size, exponent - fraction, exponent};
}

// significand * 2^-shift as an integer: toward zero or to nearest even.
Wide shifted(Wide significand, int shift, bool truncates) {
  if (shift <= 0) return significand << -shift;
  if (shift > 120) return 0;
  const Wide size = significand < 0 ? -significand : significand;
  Wide result = size >> shift;
  const Wide rest = size - (result << shift), half = Wide(1) << (shift - 1);
  if (!truncates && (rest > half || (rest == half && (result & 1)))) ++result;
  return significand < 0 ? -result : result;
}

float to_float(Wide significand, int scale, bool truncates) {
  const Wide size = significand < 0 ? -significand : significand;
  int length = 0;
  while (length < 120 && size >> length != 0) ++length;
  const int drop = std::max(length - 24, -149 - scale);
  const Wide kept = drop > 0 ? shifted(size, drop, truncates) : size;
  const double value = std::ldexp(double(kept), scale + std::max(drop, 0));  // exact
  const float magnitude = value >= 0x1p128 ? std::numeric_limits<float>::infinity() : float(value);
  return significand < 0 && kept != 0 ? -magnitude : magnitude;
}

struct Operands {
  bool bfloat16;
  uint16_t a[16][16];
  uint16_t b[16][8];
  float c[16][8];
};

float documented(const Operands& o, int row, int column, const Arithmetic& arithmetic) {
  const int fraction = o.bfloat16 ? 7 : 10, exponent_bits = o.bfloat16 ? 8 : 5;
  float sum = o.c[row][column];
  for (int first = 0; first < 16 && std::isfinite(sum); first += arithmetic.mma_products) {
    std::vector<Number> addends = {take_apart(std::bit_cast<uint32_t>(sum), 23, 8)};
    for (int k = first; k < first + arithmetic.mma_products; ++k) {
      const Number a = take_apart(o.a[row][k], fraction, exponent_bits);
      const Number b = take_apart(o.b[k][column], fraction, exponent_bits);
      addends.push_back(
          {a.significand * b.significand, a.scale + b.scale, a.exponent + b.exponent});
    }
    int largest = -133;  // at least
    for (const Number& x : addends)
      if (x.significand != 0) largest = std::max(largest, x.exponent);
    const int unit = largest - arithmetic.mma_fraction_bits;
    Wide total = 0;
    for (const Number& x : addends)
      if (x.significand != 0)
        total += shifted(x.significand, unit - x.scale, arithmetic.mma_truncates);
    sum = to_float(total, unit, arithmetic.mma_truncates);
  }
  return sum;
}

double widen(uint16_t bits, bool bfloat16) {
  return double(bfloat16 ? bfloat16_to_float({bits}) : half_to_float({bits}));
}

void multiply(const Operands& o, const Arithmetic& arithmetic, float (&out)[16][8]) {
  ProductTile tile;
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 16; ++k) tile.a[row][k] = widen(o.a[row][k], o.bfloat16);
  for (int k = 0; k < 16; ++k)
    for (int column = 0; column < 8; ++column)
      tile.b[k][column] = widen(o.b[k][column], o.bfloat16);
  tile.smallest_exponent = o.bfloat16 ? kBfloat16SmallestExponent : kHalfSmallestExponent;
  alignas(32) float sum[16][8];
  std::memcpy(sum, o.c, sizeof sum);
  add_products(tile, arithmetic, &sum[0][0]);
  std::memcpy(out, sum, sizeof sum);
}

// Exponents within `spread` of one another around `center`; some zeros and subnormals.
uint16_t draw(Random& random, bool bfloat16, int center, int spread) {
  const int fraction = bfloat16 ? 7 : 10, bias = bfloat16 ? 127 : 15;
  const uint32_t low = uint32_t(random.below(1u << fraction));
  const uint32_t sign = random.below(2) << 15;
  const uint32_t kind = random.below(16);
  if (kind == 0) return uint16_t(sign);
  if (kind == 1) return uint16_t(sign | low);
  const int wanted = bias + center + int(random.between(-spread, spread));
  return uint16_t(sign | uint32_t(std::clamp(wanted, 0, 2 * bias)) << fraction | low);
}

Operands draw_operands(Random& random, bool bfloat16) {
  constexpr int kCenters[] = {0, 0, -30, -60, -70, 62};
  Operands o;
  o.bfloat16 = bfloat16;
  const int spread = int(random.below(20));
  const int center = bfloat16 ? kCenters[random.below(6)] : 0;
  for (auto& row : o.a)
    for (uint16_t& x : row) x = draw(random, bfloat16, center, spread);
  for (auto& row : o.b)
    for (uint16_t& x : row) x = draw(random, bfloat16, center, spread);
  for (auto& row : o.c) {
    for (float& x : row) {
      const int exponent = 2 * center + int(random.between(-2 * spread, 2 * spread));
      x = std::ldexp(float(random.normal()), std::clamp(exponent, -148, 120));
      if (random.below(8) == 0) x = 0;
    }
  }
  return o;
}

constexpr Arithmetic kMeasured = {.mma_products = 16, .mma_fraction_bits = 25};

TEST(Grouped, is_the_documented_rule_bit_for_bit) {
  Random random(11);
  for (const Arithmetic& arithmetic :
       {kMeasured, Arithmetic{.mma_products = 8, .mma_fraction_bits = 24},
        Arithmetic{.mma_products = 4, .mma_fraction_bits = 23},
        Arithmetic{.mma_products = 16, .mma_fraction_bits = 27, .mma_truncates = false}}) {
    int finite = 0, infinite = 0, subnormal = 0, cut = 0;
    for (int round = 0; round < 300; ++round) {
      const Operands o = draw_operands(random, round % 2 != 0);
      float out[16][8], plain[16][8];
      multiply(o, arithmetic, out);
      multiply(o, {}, plain);
      for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 8; ++column) {
          const float want = documented(o, row, column, arithmetic);
          ASSERT_EQ(std::bit_cast<uint32_t>(out[row][column]), std::bit_cast<uint32_t>(want))
              << round << ' ' << row << ' ' << column << ": " << out[row][column] << ", not "
              << want;
          ++(std::isinf(want) ? infinite : finite);
          subnormal += want != 0 && std::fabs(want) < 0x1p-126f;
          cut += want != plain[row][column];
        }
      }
    }
    EXPECT_GT(finite, 30000);
    EXPECT_GT(infinite, 10);
    EXPECT_GT(subnormal, 10);
    EXPECT_GT(cut, 1000);
  }
}

// What hopper-like hardware shows to a probe: 2^0 and -2^0 cancel, and a third product 2^-f is
// still there at f = 25, but not at 26.
TEST(Grouped, keeps_25_bits_below_the_largest_exponent) {
  for (int f = 20; f <= 30; ++f) {
    Operands o = {};
    o.bfloat16 = true;
    for (int k = 0; k < 3; ++k) o.b[k][0] = float_to_bfloat16(1.0f).bits;
    o.a[0][0] = float_to_bfloat16(1.0f).bits;
    o.a[0][1] = float_to_bfloat16(-1.0f).bits;
    o.a[0][2] = float_to_bfloat16(-std::ldexp(1.0f, -f)).bits;
    float out[16][8];
    multiply(o, kMeasured, out);
    EXPECT_EQ(out[0][0], f <= 25 ? -std::ldexp(1.0f, -f) : 0.0f) << f;
    EXPECT_FALSE(std::signbit(out[0][1]));
  }
}

// 2^-149 minus a third product 2^-f, which truncates to 0 while that is there: with products alone
// the alignment is at 2^-133 at least, and a subnormal accumulator counts with 2^-126.
TEST(Grouped, keeps_products_down_to_2_to_the_minus_158) {
  for (const bool accumulator : {false, true}) {
    for (int f = 150; f <= 165; ++f) {
      Operands o = {};
      o.bfloat16 = true;
      for (int k = 0; k < 2; ++k) o.b[k][0] = float_to_bfloat16(0x1p-100f).bits;
      o.a[0][0] = accumulator ? uint16_t(0) : float_to_bfloat16(0x1p-49f).bits;
      o.a[0][1] = float_to_bfloat16(-std::ldexp(1.0f, 100 - f)).bits;
      o.c[0][0] = accumulator ? 0x1p-149f : 0.0f;
      float out[16][8];
      multiply(o, kMeasured, out);
      EXPECT_EQ(out[0][0], f <= (accumulator ? 151 : 158) ? 0.0f : 0x1p-149f) << f;
      o.a[0][0] = 0;
      o.c[0][0] = -0.0f;
      multiply(o, kMeasured, out);
      EXPECT_EQ(std::bit_cast<uint32_t>(out[0][0]), 0u) << f << ": nothing of a negative sum";
    }
  }
}

TEST(Grouped, treats_special_values_as_ieee_does) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Operands o = {};
  const uint16_t one = float_to_half(1.0f).bits, infinite = float_to_half(kInfinity).bits;
  for (auto& row : o.b)
    for (uint16_t& x : row) x = one;
  o.b[3][7] = 0;
  o.a[0][3] = o.a[1][3] = infinite;
  o.a[1][15] = uint16_t(infinite | 0x8000u);
  o.a[2][0] = uint16_t(infinite | 1u);
  o.a[4][0] = one;
  o.c[3][5] = -kInfinity;
  float out[16][8];
  multiply(o, kMeasured, out);
  EXPECT_EQ(out[0][0], kInfinity);
  EXPECT_NE(out[0][7], out[0][7]) << "infinity times 0";
  EXPECT_NE(out[1][0], out[1][0]);
  EXPECT_NE(out[2][7], out[2][7]);
  EXPECT_EQ(out[3][5], -kInfinity);
  EXPECT_EQ(out[3][4], 0.0f);
  EXPECT_EQ(out[4][0], 1.0f);
}

}  // namespace
}  // namespace oddtile::simulator
