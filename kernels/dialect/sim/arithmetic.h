// The dialect's arithmetic and conversions on the simulator.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "kernels/base/bits.h"
#include "kernels/sim/lane.h"

namespace oddtile::sim {

inline float fma(float a, float b, float c) {
  simulator::count_flops(2);
  return __builtin_fmaf(a, b, c);
}
inline float divide(float a, float b) {
  simulator::count_flops(1);
  return a / b;
}
// NaN for a zero or an infinite a.
inline float reciprocal(float a) {
  const float near = divide(1.0f, a);
  return __builtin_fmaf(__builtin_fmaf(-a, near, 1.0f), near, near);
}
// Drops a NaN; of two zeros, +0 is the larger, as on the GPU.
inline float maximum(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  if (a == b) return std::bit_cast<float>(std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b));
  return a > b ? a : b;
}
inline float minimum(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  if (a == b) return std::bit_cast<float>(std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b));
  return a < b ? a : b;
}
inline int32_t maximum_of_3(int32_t a, int32_t b, int32_t c) {
  return a > b ? (a > c ? a : c) : (b > c ? b : c);
}
inline float magnitude(float a) {
  return __builtin_fabsf(a);
}
inline float exp2_approx(float x) {
  simulator::count_flops(1);
  return simulator::exp2_flushed(x);
}
inline float log2_approx(float x) {
  simulator::count_flops(1);
  return simulator::log2_flushed(x);
}

inline float to_float(float value) {
  return value;
}
inline float to_float(Half value) {
  return _cvtsh_ss(value.bits);
}
inline float to_float(Bfloat16 value) {
  return bfloat16_to_float(value);
}
// One rounding to nearest even; overflow to infinity.
template <class T>
inline T from_float(float value) {
  if constexpr (sizeof(T) == 4) {
    return value;
  } else if constexpr (T::kIsBfloat16) {
    return float_to_bfloat16(value);
  } else {
    return {uint16_t(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))};
  }
}
// Two 16-bit values in one register, `low` in the low half.
template <class T>
inline uint32_t pack(float low, float high) {
  return uint32_t(from_float<T>(low).bits) | uint32_t(from_float<T>(high).bits) << 16;
}

// The larger of each of two packed 16-bit values of type T, as `maximum`; a NaN of both is the
// machine's own.
template <class T>
inline uint32_t maximum_of_pairs(uint32_t a, uint32_t b) {
  const auto larger = [](uint32_t one, uint32_t other) {
    const float value = maximum(to_float(T{uint16_t(one)}), to_float(T{uint16_t(other)}));
    return value == value ? uint32_t(from_float<T>(value).bits) : 0x7FFFu;
  };
  return larger(a, b) | larger(a >> 16, b >> 16) << 16;
}

// The sums of two packed 16-bit values of type T, each rounded once: a sum rounded to fp32 first is
// rounded to T as if it had not been.
template <class T>
inline uint32_t sum_of_pairs(uint32_t a, uint32_t b) {
  const auto sum = [](uint32_t one, uint32_t other) {
    return to_float(T{uint16_t(one)}) + to_float(T{uint16_t(other)});
  };
  return pack<T>(sum(a, b), sum(a >> 16, b >> 16));
}

// Byte i of the result is the byte of low, high (0 ... 7) that nibble i of the selector names; if
// the nibble's highest bit is set, that byte's highest bit throughout.
inline uint32_t select_bytes(uint32_t low, uint32_t high, uint32_t selector) {
  const uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t nibble = selector >> (4 * i) & 15u;
    const auto byte = uint32_t(bytes >> (8 * (nibble & 7u))) & 0xFFu;
    result |= (nibble < 8 ? byte : (byte >> 7) * 0xFFu) << (8 * i);
  }
  return result;
}

// The same bits; on the GPU, of which the compiler knows nothing.
inline uint32_t opaque(uint32_t bits) {
  return bits;
}

}  // namespace oddtile::sim
