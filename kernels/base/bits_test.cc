// Every 16-bit pattern both ways against the processor's own conversion (F16C), and against
// definitions written another way for what it has no instruction for.
#include "kernels/base/bits.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <cmath>
#include <limits>

namespace oddtile {
namespace {

constexpr uint32_t kPatterns = 1u << 16;

uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}
bool is_nan(float value) {
  return value != value;
}

TEST(Half, every_pattern_to_float) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float ours = half_to_float(Half{uint16_t(bits)});
    const float reference = _cvtsh_ss(uint16_t(bits));
    if (is_nan(reference)) {
      EXPECT_TRUE(is_nan(ours)) << bits;
    } else {
      EXPECT_EQ(bits_of(ours), bits_of(reference)) << bits;
    }
  }
}

TEST(Half, every_pattern_there_and_back) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float value = half_to_float(Half{uint16_t(bits)});
    const uint16_t back = float_to_half(value).bits;
    if (is_nan(value)) {
      EXPECT_EQ(back & 0x7E00, 0x7E00) << bits;
    } else {
      EXPECT_EQ(back, bits);
    }
  }
}

// The float itself, its neighbours, the midpoint to the next pattern and the midpoint's neighbours.
template <class Check>
void for_each_around(float low, float high, Check&& check) {
  const float middle = float(0.5 * (double(low) + double(high)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (float value : {low, middle}) {
    for (float near :
         {std::nextafter(value, -kInfinity), value, std::nextafter(value, kInfinity)}) {
      check(near);
      check(-near);
    }
  }
}

TEST(Half, rounds_as_the_processor_does) {
  const auto check = [](float value) {
    EXPECT_EQ(float_to_half(value).bits, _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)) << value;
  };
  for (uint16_t bits = 0; bits < 0x7C00; ++bits) {  // zero, subnormals, normals, up to overflow
    const float high = bits == 0x7BFF ? 65536.0f : half_to_float(Half{uint16_t(bits + 1)});
    for_each_around(half_to_float(Half{bits}), high, check);
  }
  for (uint32_t bits = 0; bits < 0x7F800000u; bits += 4093) check(std::bit_cast<float>(bits));
}

TEST(Half, known_values) {
  EXPECT_EQ(float_to_half(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(float_to_half(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(float_to_half(0x1p-24f).bits, 1);
  EXPECT_EQ(float_to_half(0x1p-25f).bits, 0);  // a tie to even
  EXPECT_EQ(float_to_half(0x1.8p-24f).bits, 2);
  EXPECT_EQ(float_to_half(-0.0f).bits, 0x8000);
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
}

TEST(Bfloat16, every_pattern_both_ways) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float value = bfloat16_to_float(Bfloat16{uint16_t(bits)});
    EXPECT_EQ(bits_of(value), bits << 16);
    const uint16_t back = float_to_bfloat16(value).bits;
    if (is_nan(value)) {
      EXPECT_TRUE(is_nan(bfloat16_to_float(Bfloat16{back}))) << bits;
      EXPECT_TRUE(back & 0x40) << "a NaN stays quiet";
    } else {
      EXPECT_EQ(back, bits);
    }
  }
}

// By definition: the nearer of the two neighbours, the even one in the middle.
uint16_t nearest_bfloat16(float value) {
  const uint32_t below = bits_of(std::fabs(value)) >> 16;
  const double low = bfloat16_to_float(Bfloat16{uint16_t(below)});
  const double high = below + 1 == 0x7F80u ? 0x1p128  // where the next one would be
                                           : bfloat16_to_float(Bfloat16{uint16_t(below + 1)});
  const double distance_low = std::fabs(double(value)) - low;
  const double distance_high = high - std::fabs(double(value));
  const bool up = distance_high < distance_low || (distance_high == distance_low && (below & 1));
  return uint16_t((below + up) | (std::signbit(value) ? 0x8000u : 0u));
}

TEST(Bfloat16, rounds_to_nearest_even) {
  const auto check = [](float value) {
    if (std::fabs(value) > std::numeric_limits<float>::max()) return;
    EXPECT_EQ(float_to_bfloat16(value).bits, nearest_bfloat16(value)) << value;
  };
  for (uint16_t bits = 0; bits < 0x7F7F; ++bits) {
    for_each_around(bfloat16_to_float(Bfloat16{bits}),
                    bfloat16_to_float(Bfloat16{uint16_t(bits + 1)}), check);
  }
  check(std::numeric_limits<float>::max());
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x7F7F7FFFu)).bits, 0x7F7F);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::infinity()).bits, 0x7F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x7F800001u)).bits & 0x7FC0, 0x7FC0);
}

TEST(Division, rounds_up) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(1, 4), 1);
  EXPECT_EQ(ceil_div(8, 4), 2);
  EXPECT_EQ(ceil_div(int64_t(1) << 40, int64_t(3)), 366503875926);
  EXPECT_EQ(ceil_div(std::numeric_limits<int64_t>::max(), int64_t(1)),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(round_up(65, 64), 128);
  EXPECT_EQ(round_up(64, 64), 64);
}

static_assert(half_to_float(float_to_half(1.5f)) == 1.5f, "both ways at compile time");
static_assert(bfloat16_to_float(float_to_bfloat16(-0x1p-130f)) == -0x1p-130f);

}  // namespace
}  // namespace oddtile
