// Storing floats as elements, rounding as the types do, and the largest values of each type.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "kernels/base/bits.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {

inline float rounded_to(oddtile_dtype dtype, double value) {
  if (dtype == oddtile_fp16) return half_to_float(float_to_half(float(value)));
  if (dtype == oddtile_bf16) return bfloat16_to_float(float_to_bfloat16(float(value)));
  return float(value);
}

inline float largest_of(oddtile_dtype dtype) {
  return dtype == oddtile_fp16 ? 65504.0f : dtype == oddtile_bf16 ? 0x1.FEp127f : 0x1.FFFFFEp127f;
}

// Smallest positive number and smallest normal one.
inline float smallest_of(oddtile_dtype dtype) {
  return dtype == oddtile_fp16 ? 0x1p-24f : dtype == oddtile_bf16 ? 0x1p-133f : 0x1p-149f;
}
inline float smallest_normal_of(oddtile_dtype dtype) {
  return dtype == oddtile_fp16 ? 0x1p-14f : 0x1p-126f;
}

// `count` neighbouring elements of a floating-point buffer, the first at `index`.
inline void store_row(std::byte* buffer, Element element, int64_t index, const float* values,
                      int64_t count) {
  if (element == Element::fp32) {
    std::memcpy(buffer + index * 4, values, size_t(count) * 4);
    return;
  }
  std::byte* at = buffer + index * 2;
  for (int64_t i = 0; i < count; ++i, at += 2) {
    const uint16_t bits = element == Element::fp16 ? float_to_half(values[i]).bits
                                                   : float_to_bfloat16(values[i]).bits;
    std::memcpy(at, &bits, 2);
  }
}

// One element as a bit pattern of its own width.
inline void store_bits(std::byte* buffer, Element element, int64_t index, uint32_t bits) {
  const int64_t width = element_bytes(element);
  std::memcpy(buffer + index * width, &bits, size_t(width));  // little endian
}

}  // namespace oddtile::oracles
