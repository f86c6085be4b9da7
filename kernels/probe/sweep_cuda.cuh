// One approximate function over every argument, against double. CUDA only: the dialect has no
// double. The library's double functions err by 2 ulp of double at most, 2^-28 of what is measured.
#pragma once

#include <cmath>

#include "kernels/dialect/dialect.cuh"
#include "kernels/probe/probe.h"

namespace oddtile::cuda {

template <ProbeFunction function>
struct Function {
  static constexpr ProbeFunction kFunction = function;
  static constexpr bool kIsExp2 = function == ProbeFunction::exp2;
  static constexpr bool kIsLog2 = function == ProbeFunction::log2;
  static constexpr bool kRises = kIsExp2 || kIsLog2;

  static __device__ float get(float x) {
    float y;
    if constexpr (kIsExp2) return exp2_approx(x);
    if constexpr (kIsLog2) return log2_approx(x);
    if constexpr (function == ProbeFunction::divide) return divide(1.0f, x);
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static __device__ double exact(double x) {
    if constexpr (kIsExp2) return ::exp2(x);
    if constexpr (kIsLog2) return ::log2(x);
    return 1.0 / x;
  }
};

// What one thread has seen.
struct SweepPart {
  double relative = 0, absolute = 0, ulp = 0;
  uint32_t relative_at = 0, absolute_at = 0, ulp_at = 0;
  uint64_t arguments = 0, not_nearest = 0, not_monotone = 0, not_monotone_at = 0;
  uint64_t subnormal_results = 0, subnormal_results_zero = 0;
  uint64_t subnormal_arguments = 0, subnormal_arguments_zero = 0;
  uint64_t wrong_class = 0, wrong_class_at = 0;

  static __device__ void larger(double error, uint32_t bits, double* most, uint32_t* at) {
    if (!(error <= *most)) {
      *most = error;
      *at = bits;
    }
  }
  __device__ void wrong(bool is, uint32_t bits) {
    if (!is) return;
    ++wrong_class;
    wrong_class_at = bits;
  }
};

__device__ inline double ulp_of(double exact) {
  const int exponent = max(ilogb(exact), -126);
  return ldexp(1.0, exponent - 23);
}

// A normal argument whose exact result is a normal float.
template <class F>
__device__ void compare_normal(float y, double exact, uint32_t bits, SweepPart& part) {
  ++part.arguments;
  part.not_nearest += y != __double2float_rn(exact);
  const double error = fabs(double(y) - exact);
  if constexpr (F::kIsLog2) {
    if (fabs(exact) < 1) {
      SweepPart::larger(error, bits, &part.absolute, &part.absolute_at);
      return;
    }
  }
  SweepPart::larger(error / fabs(exact), bits, &part.relative, &part.relative_at);
  SweepPart::larger(error / ulp_of(exact), bits, &part.ulp, &part.ulp_at);
}

template <class F>
__device__ void compare(float x, float y, uint32_t bits, SweepPart& part) {
  constexpr double kNormal = 0x1p-126, kOverflow = 0x1.ffffffp127;
  const double size = fabs(double(x));
  if (isnan(x) || (F::kIsLog2 && x <= -0x1p-126f)) return part.wrong(!isnan(y), bits);
  if (size == 0 || isinf(x)) {
    const double limit = F::exact(double(x));  // 1, infinities of either sign, zeros
    return part.wrong(double(y) != limit, bits);
  }
  const double exact = F::exact(double(x));
  if (size < kNormal) {
    // Of exp2 both are 1; reciprocals of the smaller ones are infinite either way.
    if constexpr (F::kIsExp2) return part.wrong(y != 1, bits);
    if (!F::kIsLog2 && fabs(exact) >= kOverflow) return part.wrong(!isinf(y), bits);
    ++part.subnormal_arguments;
    part.subnormal_arguments_zero += isinf(y) ? 1 : 0;
    return;
  }
  if (!F::kIsLog2 && fabs(exact) < kNormal) {
    if (F::kIsExp2 && x <= -150.0f) return part.wrong(y != 0, bits);
    ++part.subnormal_results;
    part.subnormal_results_zero += y == 0 ? 1 : 0;
    return;
  }
  if (fabs(exact) >= kOverflow) return part.wrong(!isinf(y), bits);
  if (isnan(y) || isinf(y)) return part.wrong(true, bits);
  compare_normal<F>(y, exact, bits, part);
}

// bits and bits + 1: the next float away from zero. The order of results, NaN apart.
template <class F>
__device__ void compare_neighbours(float y, uint32_t bits, SweepPart& part) {
  const float next = F::get(__uint_as_float(bits + 1));
  const bool rises = F::kRises == ((bits & 0x80000000u) == 0);
  if (!(rises ? next < y : next > y)) return;
  ++part.not_monotone;
  part.not_monotone_at = bits;
}

__device__ inline void keep_larger(uint64_t* key, double error, uint32_t at) {
  const uint64_t mine = uint64_t(__float_as_uint(__double2float_ru(error))) << 32 | at;
  atomicMax(reinterpret_cast<unsigned long long*>(key), mine);
}

__device__ inline void add_to(uint64_t* total, uint64_t mine) {
  if (mine != 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), mine);
}

template <class F>
__global__ void sweep_all(ProbeSweep* result) {
  SweepPart part;
  const uint64_t stride = uint64_t(blocks()) * threads();
  for (uint64_t u = uint64_t(block()) * threads() + thread(); u < uint64_t(1) << 32; u += stride) {
    const uint32_t bits = uint32_t(u);
    const float x = __uint_as_float(bits);
    const float y = F::get(x);
    compare<F>(x, y, bits, part);
    if (!isnan(x) && !isinf(x)) compare_neighbours<F>(y, bits, part);
  }
  keep_larger(&result->relative, part.relative, part.relative_at);
  keep_larger(&result->absolute, part.absolute, part.absolute_at);
  keep_larger(&result->ulp, part.ulp, part.ulp_at);
  add_to(&result->arguments, part.arguments);
  add_to(&result->not_nearest, part.not_nearest);
  add_to(&result->not_monotone, part.not_monotone);
  add_to(&result->subnormal_results, part.subnormal_results);
  add_to(&result->subnormal_results_zero, part.subnormal_results_zero);
  add_to(&result->subnormal_arguments, part.subnormal_arguments);
  add_to(&result->subnormal_arguments_zero, part.subnormal_arguments_zero);
  add_to(&result->wrong_class, part.wrong_class);
  if (part.not_monotone != 0) result->not_monotone_at = part.not_monotone_at;  // any will do
  if (part.wrong_class != 0) result->wrong_class_at = part.wrong_class_at;
}

}  // namespace oddtile::cuda
