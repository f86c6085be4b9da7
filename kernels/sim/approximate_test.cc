// exp2 and log2 against long double over many arguments, and the edges one by one.
#include "kernels/sim/approximate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/sim/lane.h"

namespace oddtile::simulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

long double ulps(float got, long double exact) {
  const float near = std::fabs(float(exact));
  const long double ulp = (long double)(std::nextafter(near, kInfinity)) - near;
  return std::fabs((long double)(got)-exact) / ulp;
}

TEST(Exp2, is_within_one_ulp) {
  long double worst = 0;
  for (uint32_t bits = 0; bits < 0x43000000u; bits += 997) {  // 0 to 128
    for (float sign : {1.0f, -1.0f}) {
      const float x = sign * std::bit_cast<float>(bits);
      if (x < -126.0f) continue;
      worst = std::max(worst, ulps(exp2_flushed(x), std::exp2((long double)(x))));
    }
  }
  EXPECT_LE(worst, 0.51L);
  EXPECT_GT(worst, 0.4L) << "nothing was measured";
}

TEST(Exp2, has_the_edges_of_the_gpu) {
  EXPECT_EQ(exp2_flushed(-126.0f), 0x1p-126f);
  EXPECT_EQ(exp2_flushed(std::nextafter(-126.0f, -200.0f)), 0.0f);
  EXPECT_EQ(exp2_flushed(128.0f), kInfinity);
  EXPECT_EQ(exp2_flushed(kInfinity), kInfinity);
  EXPECT_EQ(exp2_flushed(-kInfinity), 0.0f);
  EXPECT_EQ(exp2_flushed(0x1p-149f), 1.0f);
  EXPECT_NE(exp2_flushed(NAN), exp2_flushed(NAN));
  for (int n = -126; n < 128; ++n) EXPECT_EQ(exp2_flushed(float(n)), std::ldexp(1.0f, n));
}

// All of [1, 2), by a hash of the significands that an H200 gave (FNV-1a, a word at a time).
TEST(Exp2, interpolates_the_bits_of_an_h200) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (uint32_t i = 0; i < 1u << 23; ++i) {
    const float y = exp2_interpolated(std::bit_cast<float>(0x3F800000u + i));
    hash = (hash ^ (std::bit_cast<uint32_t>(y) - 0x40000000u)) * 0x100000001B3u;
  }
  EXPECT_EQ(hash, 0xA1398DBDF2FA7EDBu);
}

// The worst arguments of the sweep over all 2^32, which is another measurement (profiles/
// nvidia-h200.json): the same errors. Negative arguments are complemented, not negated, for the
// second: else its error is 0.05 ulp.
TEST(Exp2, interpolates_the_errors_of_an_h200) {
  const float worst = std::bit_cast<float>(0x3F88005Du);
  const long double exact = std::exp2((long double)(worst));
  const long double relative = std::fabs(exp2_interpolated(worst) - exact) / exact;
  EXPECT_LE(relative, 1.4584197240909716e-07L);
  EXPECT_GE(relative, 1.4584197240909716e-07L * (1 - 0x1p-21L));
  const float negative = std::bit_cast<float>(0xC2C02804u);
  const long double ulp = ulps(exp2_interpolated(negative), std::exp2((long double)(negative)));
  EXPECT_LE(ulp, 2.05498458265879L);
  EXPECT_GE(ulp, 2.05498458265879L * (1 - 0x1p-21L));
}

TEST(Exp2, interpolated_has_the_edges_of_the_gpu) {
  for (int n = -126; n < 128; ++n) EXPECT_EQ(exp2_interpolated(float(n)), std::ldexp(1.0f, n));
  EXPECT_EQ(exp2_interpolated(std::nextafter(-126.0f, -200.0f)), 0.0f);
  EXPECT_EQ(exp2_interpolated(128.0f), kInfinity);
  EXPECT_EQ(exp2_interpolated(-kInfinity), 0.0f);
  EXPECT_EQ(exp2_interpolated(-0x1p-24f), 1.0f);
  EXPECT_EQ(exp2_interpolated(-0x1p-23f), 1 - 0x1p-23f);
  EXPECT_NE(exp2_interpolated(NAN), exp2_interpolated(NAN));
}

TEST(Log2, is_within_one_ulp) {
  long double worst = 0;
  for (uint32_t bits = 0x00800000u; bits < 0x7F800000u; bits += 1009) {
    const float x = std::bit_cast<float>(bits);
    worst = std::max(worst, ulps(log2_flushed(x), std::log2((long double)(x))));
  }
  for (uint32_t bits = 0x3F7F0000u; bits < 0x3F810000u; ++bits) {  // around 1, all of them
    const float x = std::bit_cast<float>(bits);
    if (x == 1.0f) continue;
    worst = std::max(worst, ulps(log2_flushed(x), std::log2((long double)(x))));
  }
  EXPECT_LE(worst, 0.51L);
  EXPECT_GT(worst, 0.4L) << "nothing was measured";
}

// All of [1/2, 1) and [1, 2), as above: every significand, and both signs of the result.
TEST(Log2, interpolates_the_bits_of_an_h200) {
  const auto hash_of_binade = [](uint32_t first) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < 1u << 23; ++i) {
      const float y = log2_interpolated(std::bit_cast<float>(first + i));
      hash = (hash ^ std::bit_cast<uint32_t>(y)) * 0x100000001B3u;
    }
    return hash;
  };
  EXPECT_EQ(hash_of_binade(0x3F000000u), 0xF8884F097B12E53Du);
  EXPECT_EQ(hash_of_binade(0x3F800000u), 0x5CA43D6B0D176848u);
}

// The worst arguments of the sweep over all 2^32, as above.
TEST(Log2, interpolates_the_errors_of_an_h200) {
  const auto error = [](uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    return std::fabs(log2_interpolated(x) - std::log2((long double)(x)));
  };
  const auto exact = [](uint32_t bits) {
    return std::fabs(std::log2((long double)(std::bit_cast<float>(bits))));
  };
  const auto expect = [](long double got, long double measured) {
    EXPECT_LE(got, measured);
    EXPECT_GE(got, measured * (1 - 0x1p-21L));
  };
  expect(error(0x3EF3FFDEu) / exact(0x3EF3FFDEu), 2.292455412501375e-07L);
  expect(error(0x3F075FFFu), 2.152281497690225e-07L);
  const float x = std::bit_cast<float>(0x3E856FEFu);
  expect(ulps(log2_interpolated(x), std::log2((long double)(x))), 2.3004391909691435L);
}

TEST(Log2, interpolated_has_the_edges_of_the_gpu) {
  EXPECT_EQ(log2_interpolated(1.0f), 0.0f);
  for (const float x : {0.0f, -0.0f, 0x1p-127f}) EXPECT_EQ(log2_interpolated(x), -kInfinity);
  EXPECT_EQ(log2_interpolated(kInfinity), kInfinity);
  EXPECT_NE(log2_interpolated(-1.0f), log2_interpolated(-1.0f));
  EXPECT_EQ(log2_interpolated(2.0f), 1.0f);
}

TEST(Log2, has_the_edges_of_the_gpu) {
  EXPECT_EQ(log2_flushed(1.0f), 0.0f);
  EXPECT_EQ(log2_flushed(0.0f), -kInfinity);
  EXPECT_EQ(log2_flushed(-0.0f), -kInfinity);
  EXPECT_EQ(log2_flushed(0x1p-127f), -kInfinity) << "subnormal arguments are flushed";
  EXPECT_EQ(log2_flushed(kInfinity), kInfinity);
  EXPECT_NE(log2_flushed(-1.0f), log2_flushed(-1.0f));
  EXPECT_NE(log2_flushed(NAN), log2_flushed(NAN));
  for (int n = -126; n < 128; ++n) EXPECT_EQ(log2_flushed(std::ldexp(1.0f, n)), float(n));
}

// Within the error given, on both sides, and close to all of it somewhere.
TEST(Erring, stays_within_its_error_and_reaches_it) {
  constexpr double kExp2 = 0x1.34p-23, kLog2 = 0x1.26p-22;
  long double lowest = 0, highest = 0, log_lowest = 0, log_highest = 0;
  for (uint32_t bits = 0x3A000000u; bits < 0x43000000u; bits += 617) {
    for (float sign : {1.0f, -1.0f}) {
      const float x = sign * std::bit_cast<float>(bits);
      if (x <= -126.0f || x >= 127.0f) continue;
      const long double exact = std::exp2((long double)(x));
      const long double error = (exp2_flushed(x, kExp2) - exact) / exact;
      lowest = std::min(lowest, error);
      highest = std::max(highest, error);
    }
    const float x = std::bit_cast<float>(bits);
    const long double exact = std::log2((long double)(x));
    const long double unit = std::max(1.0L, std::fabs(exact));
    const long double error = (log2_flushed(x, kLog2) - exact) / unit;
    log_lowest = std::min(log_lowest, error);
    log_highest = std::max(log_highest, error);
  }
  EXPECT_LE(highest, kExp2);
  EXPECT_GE(lowest, -kExp2);
  EXPECT_GT(highest, 0.99 * kExp2);
  EXPECT_LT(lowest, -0.99 * kExp2);
  EXPECT_LE(log_highest, kLog2);
  EXPECT_GE(log_lowest, -kLog2);
  EXPECT_GT(log_highest, 0.99 * kLog2);
  EXPECT_LT(log_lowest, -0.99 * kLog2);
}

TEST(Erring, keeps_the_edges_and_the_powers_of_two) {
  for (int n = -126; n < 128; ++n) {
    EXPECT_EQ(exp2_flushed(float(n), 0x1p-23), std::ldexp(1.0f, n));
    EXPECT_EQ(log2_flushed(std::ldexp(1.0f, n), 0x1p-22), float(n));
  }
  EXPECT_EQ(exp2_flushed(-126.5f, 0x1p-23), 0.0f);
  EXPECT_EQ(exp2_flushed(128.0f, 0x1p-23), kInfinity);
  EXPECT_EQ(log2_flushed(0.0f, 0x1p-22), -kInfinity);
  EXPECT_EQ(exp2_flushed(0.3f, 0x1p-23), exp2_flushed(0.3f, 0x1p-23));
}

}  // namespace
}  // namespace oddtile::simulator
