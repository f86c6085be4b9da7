// The approximate instructions, here accurate: computed in double, rounded once to float. Written
// out and not taken from libm, so that every platform gives the same bits. Where the machine's
// arithmetic says so, they are then as wrong as the measured hardware may be.
#include "kernels/sim/approximate.h"

#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/sim/segments.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr double kLn2 = 0.693147180559945309417;
constexpr double kLog2E = 1.44269504088896340736;

constexpr double kReciprocals[] = {1.0 / 10, 1.0 / 9, 1.0 / 8, 1.0 / 7, 1.0 / 6,
                                   1.0 / 5,  1.0 / 4, 1.0 / 3, 1.0 / 2, 1.0};

double power_of_two(int exponent) {
  return std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

// Of all floats within `error` of `exact`, the farthest on one side. `exact` is a double's roundoff
// away from exact, hence a little less than all of the error.
float erring(double exact, double error, float argument) {
  const uint32_t side = std::bit_cast<uint32_t>(argument) * 0x9E3779B1u >> 31;
  const double most = error * (1 - 0x1p-14);
  const float far = float(side != 0 ? exact + most : exact - most);
  const double distance = double(far) - exact;
  if ((distance < 0 ? -distance : distance) <= most) return far;
  // Rounding to float went beyond: one float back toward the exact value.
  const bool shrink = (distance > 0) == (far > 0);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(far) + (shrink ? -1u : 1u));
}

}  // namespace

void count_flops(int count) {
  // Unit tests of words run outside a launch.
  if (running != nullptr) running->counters.flops += count;
}

// 2^x = 2^n e^(f ln 2), |f| <= 1/2: the series to the tenth power leaves less than 2^-40.
float exp2_flushed(float x, double error) {
  if (x != x) return x;
  if (x >= 128.0f) return std::numeric_limits<float>::infinity();
  if (x < -126.0f) return 0.0f;  // the result would be subnormal
  const double n = __builtin_rint(double(x));
  const double t = (double(x) - n) * kLn2;
  double series = 1.0;
  for (double reciprocal : kReciprocals) series = 1.0 + series * (t * reciprocal);
  const double exact = series * power_of_two(int(n));
  return error > 0 && n != double(x) ? erring(exact, error * exact, x) : float(exact);
}

// The square of 17 bits in units of 2^19, as the sum of its rows, each cut there: row k holds bit k
// times itself and twice every higher one.
int64_t cut_square(int64_t bits) {
  int64_t sum = 0;
  for (int k = 0; k < 17; ++k) {
    const int64_t row = (int64_t(1) << 2 * k) + (bits >> (k + 1) << (2 * k + 2));
    sum += (bits >> k & 1) != 0 ? row >> 19 : 0;
  }
  return sum;
}

float exp2_interpolated(float x) {
  if (x != x) return x;
  if (x >= 128.0f) return std::numeric_limits<float>::infinity();
  if (x < -126.0f) return 0.0f;                                // the result would be subnormal
  const auto size = int64_t(double(x < 0 ? -x : x) * 0x1p23);  // toward zero
  // A negative argument is complemented, which is one place short of negated; integers are exact.
  const bool integer = (size & 0x7FFFFF) == 0;
  const int64_t fixed = x >= 0 ? size : integer ? -size : ~size;
  const int64_t exponent = fixed >> 23, place = fixed & 0x1FFFF;
  const Segment& s = kExp2Segments[fixed >> 17 & 63];
  // In units of 2^-38, the last bits of every term.
  constexpr int64_t kOffset = 6114;
  const int64_t sum =
      (int64_t(s.constant) << 13) + s.slope * place + s.curve * cut_square(place) + kOffset;
  return std::bit_cast<float>(uint32_t((exponent + 127) << 23 | sum >> 15));
}

// What is not negative, in units of 2^-36, cut to 24 bits.
float cut_to_float(int64_t value) {
  const int drop = 40 - std::countl_zero(uint64_t(value));  // bits beyond 24
  if (drop > 0) value = value >> drop << drop;
  return float(double(value) * 0x1p-36);
}

float log2_interpolated(float x) {
  if (x != x || x < 0x1p-126f || x == std::numeric_limits<float>::infinity())
    return log2_flushed(x, 0);
  if (x == 1.0f) return 0.0f;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int64_t exponent = int64_t(bits >> 23) - 127, place = bits & 0x1FFFF;
  const Segment& s = kLog2Segments[bits >> 17 & 63];
  constexpr int64_t kOffset = 837;
  const int64_t fraction =
      (int64_t(s.constant) << 12) + s.slope * place + 2 * s.curve * cut_square(place) + kOffset;
  const int64_t sum = (exponent << 36) + (fraction >> 2);  // its last places show only near 1
  return sum >= 0 ? cut_to_float(sum) : -cut_to_float(~sum);
}

// log2 x = e + 2/ln2 (s + s^3/3 + ...), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
float log2_flushed(float x, double error) {
  if (x != x) return x;
  if (x < 0x1p-126f) {  // subnormal arguments count as zero
    return x <= -0x1p-126f ? std::numeric_limits<float>::quiet_NaN()
                           : -std::numeric_limits<float>::infinity();
  }
  if (x == std::numeric_limits<float>::infinity()) return x;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  int exponent = int(bits >> 23) - 127;
  double m = double(std::bit_cast<float>((bits & 0x7FFFFFu) | 0x3F800000u));
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  double series = 0.0;
  for (int term = 19; term >= 1; term -= 2) series = series * s * s + 1.0 / term;
  const double exact = exponent + 2.0 * kLog2E * s * series;
  if (error <= 0 || m == 1.0) return float(exact);
  const double size = exact < 0 ? -exact : exact;
  return erring(exact, size < 1 ? error : error * size, x);
}

float exp2_flushed(float x) {
  if (running == nullptr) return exp2_flushed(x, 0);
  const sim::Arithmetic& arithmetic = running->arithmetic;
  return arithmetic.exp2_interpolated ? exp2_interpolated(x)
                                      : exp2_flushed(x, arithmetic.exp2_error);
}
float log2_flushed(float x) {
  if (running == nullptr) return log2_flushed(x, 0);
  const sim::Arithmetic& arithmetic = running->arithmetic;
  return arithmetic.log2_interpolated ? log2_interpolated(x)
                                      : log2_flushed(x, arithmetic.log2_error);
}

}  // namespace oddtile::simulator
