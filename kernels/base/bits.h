// Bits of numbers: the 16-bit storage types and their conversions, ulps, integer division.
// Everything is constexpr, so that it runs on both machines and can be checked exhaustively.
#pragma once

#include <bit>
#include <cstdint>

namespace oddtile {

// Storage of an IEEE binary16 and of a bfloat16. Arithmetic happens in float.
struct Half {
  static constexpr bool kIsBfloat16 = false;
  uint16_t bits;
};
struct Bfloat16 {
  static constexpr bool kIsBfloat16 = true;
  uint16_t bits;
};

template <class Integer>
constexpr Integer ceil_div(Integer a, Integer b) {
  return a / b + (a % b > 0);
}

template <class Integer>
constexpr Integer round_up(Integer a, Integer multiple) {
  return ceil_div(a, multiple) * multiple;
}

constexpr float half_to_float(Half h) {
  const uint32_t sign = uint32_t(h.bits & 0x8000u) << 16;
  const uint32_t exponent = (h.bits >> 10) & 0x1Fu;
  const uint32_t fraction = h.bits & 0x3FFu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = float(fraction) * 0x1p-24f;  // subnormal: exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

// Round to nearest even; overflow to infinity; NaN stays NaN (quiet).
constexpr Half float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = uint16_t((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return {uint16_t(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  if (magnitude >= 0x477FF000u) return {uint16_t(sign | 0x7C00u)};  // 65520 and above
  if (magnitude < 0x38800000u) {                                    // below 2^-14: subnormal or 0
    // Adding 0.5 puts the last half bit at 2^-24, so the addition itself rounds to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {uint16_t(sign | uint16_t(std::bit_cast<uint32_t>(shifted) - 0x3F000000u))};
  }
  const uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  return {uint16_t(sign | uint16_t((rounded - 0x38000000u) >> 13))};
}

constexpr float bfloat16_to_float(Bfloat16 b) {
  return std::bit_cast<float>(uint32_t(b.bits) << 16);
}

// Round to nearest even; overflow to infinity; NaN stays NaN (quiet).
constexpr Bfloat16 float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {uint16_t((bits >> 16) | 0x40u)};
  return {uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace oddtile
