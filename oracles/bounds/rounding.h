// Roundoffs of the storage types and the two ways in which roundings add up.
#pragma once

#include <cmath>
#include <limits>

#include "kernels/api/kernels.h"
#include "kernels/base/assert.h"

namespace oddtile::oracles {

inline constexpr double kU = 0x1p-24;  // unit roundoff of fp32, in which kernels compute
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Unit roundoff: round to nearest of a normal number errs by at most this, relatively.
constexpr double unit_roundoff(oddtile_dtype type) {
  return type == oddtile_fp32 ? 0x1p-24 : type == oddtile_fp16 ? 0x1p-11 : 0x1p-8;
}

// Half the smallest subnormal: round to nearest of a subnormal number errs by at most this.
constexpr double subnormal_roundoff(oddtile_dtype type) {
  return type == oddtile_fp32 ? 0x1p-150 : type == oddtile_fp16 ? 0x1p-25 : 0x1p-134;
}

constexpr double smallest_normal(oddtile_dtype type) {
  return type == oddtile_fp16 ? 0x1p-14 : 0x1p-126;
}

// Magnitudes from here on round to infinity: half an ulp beyond the largest finite number.
constexpr double overflow_threshold(oddtile_dtype type) {
  if (type == oddtile_fp16) return 65520;
  return type == oddtile_fp32 ? (2 - 0x1p-24) * 0x1p127 : (2 - 0x1p-8) * 0x1p127;
}

// k roundings in a sum: |computed - exact| <= sum_error(k) sum |terms| (Higham, Accuracy and
// Stability, 3.1: k u / (1 - k u)). From k u = 1/2 on the sum says nothing.
inline double sum_error(double k) {
  return k * kU < 0.5 ? k * kU / (1 - k * kU) : kNever;
}

// (1 + first) times k factors of at most 1 + u each (or their inverses), minus 1:
// prod (1 + d_i)^(+-1) <= exp(k u / (1 - u)).
inline double compounded(double first, double k) {
  return std::expm1(std::log1p(first) + k * kU / (1 - kU));
}

}  // namespace oddtile::oracles
