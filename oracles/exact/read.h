// A workload's tensors as doubles: exact, since every element type is a subset of double.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/base/assert.h"
#include "kernels/base/bits.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {

// The bytes that a tensor's index math refers to: its own, or those of the buffer it shares.
inline std::span<const std::byte> stored_bytes(const Workload& workload, const Tensor& tensor) {
  return tensor.alias_of >= 0 ? workload.tensors[size_t(tensor.alias_of)].bytes : tensor.bytes;
}

template <class T>
T read_at(std::span<const std::byte> buffer, int64_t index) {
  ODDTILE_ASSERT(index >= 0 && (uint64_t(index) + 1) * sizeof(T) <= buffer.size());
  T value;
  std::memcpy(&value, buffer.data() + uint64_t(index) * sizeof(T), sizeof(T));
  return value;
}

inline double load_number(std::span<const std::byte> buffer, Element element, int64_t index) {
  switch (element) {
    case Element::fp32:
      return double(read_at<float>(buffer, index));
    case Element::fp16:
      return double(half_to_float(read_at<Half>(buffer, index)));
    case Element::bf16:
      return double(bfloat16_to_float(read_at<Bfloat16>(buffer, index)));
    case Element::byte:
      return double(read_at<uint8_t>(buffer, index));
    case Element::int32:
      return double(read_at<int32_t>(buffer, index));
  }
  ODDTILE_ASSERT(false);
}

// One type's conversion over a strided piece that lies inside its buffer.
template <class Stored, class Convert>
void convert(const std::byte* first, int64_t stride, int64_t count, double* out,
             const Convert& convert) {
  const auto load = [&](const std::byte* at) {
    Stored value;
    std::memcpy(&value, at, sizeof(Stored));
    return double(convert(value));
  };
  constexpr int64_t width = sizeof(Stored);
  if (stride == 1)  // which the compiler vectorises
    for (int64_t i = 0; i < count; ++i) out[i] = load(first + i * width);
  else
    for (int64_t i = 0; i < count; ++i) out[i] = load(first + i * stride * width);
}

// half_to_float() without branches, which the compiler vectorises: the fraction and exponent as a
// float are 2^112 too small, subnormals included.
inline float widened(Half h) {
  const uint32_t magnitude = uint32_t(h.bits & 0x7FFFu) << 13;
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const uint32_t special = magnitude | 0x7F800000u;
  const uint32_t sign = uint32_t(h.bits & 0x8000u) << 16;
  return std::bit_cast<float>(sign | (magnitude >= 0x0F800000u ? special : finite));
}

// Columns first..first + count - 1 of the last dimension at (i0, i1, i2).
inline void read_columns(std::span<const std::byte> buffer, const Tensor& tensor, int64_t i0,
                         int64_t i1, int64_t i2, int64_t first, int64_t count, double* out) {
  if (count == 0) return;
  const int64_t stride = tensor.strides[3], width = element_bytes(tensor.element);
  const int64_t start = tensor.index(i0, i1, i2, first), last = start + (count - 1) * stride;
  ODDTILE_ASSERT(std::min(start, last) >= 0 &&
                 uint64_t(std::max(start, last) + 1) * uint64_t(width) <= buffer.size());
  const std::byte* at = buffer.data() + start * width;
  switch (tensor.element) {
    case Element::fp32:
      return convert<float>(at, stride, count, out, [](float v) { return v; });
    case Element::fp16:
      return convert<Half>(at, stride, count, out, widened);
    case Element::bf16:
      return convert<Bfloat16>(at, stride, count, out, bfloat16_to_float);
    case Element::byte:
      return convert<uint8_t>(at, stride, count, out, [](uint8_t v) { return v; });
    case Element::int32:
      return convert<int32_t>(at, stride, count, out, [](int32_t v) { return v; });
  }
}

// The same of a mask: its bytes as they are.
inline void read_bytes(std::span<const std::byte> buffer, const Tensor& tensor, int64_t i0,
                       int64_t i1, int64_t i2, int64_t first, int64_t count, uint8_t* out) {
  ODDTILE_ASSERT(tensor.element == Element::byte);
  if (count == 0) return;
  const int64_t stride = tensor.strides[3];
  const int64_t start = tensor.index(i0, i1, i2, first), last = start + (count - 1) * stride;
  ODDTILE_ASSERT(std::min(start, last) >= 0 && uint64_t(std::max(start, last)) < buffer.size());
  const std::byte* at = buffer.data() + start;
  if (stride == 1)
    std::memcpy(out, at, size_t(count));
  else
    for (int64_t i = 0; i < count; ++i) out[i] = uint8_t(at[i * stride]);
}

// The last dimension at (i0, i1, i2), written to `out` (sizes[3] numbers).
inline void read_row(std::span<const std::byte> buffer, const Tensor& tensor, int64_t i0,
                     int64_t i1, int64_t i2, double* out) {
  read_columns(buffer, tensor, i0, i1, i2, 0, tensor.sizes[3], out);
}

}  // namespace oddtile::oracles
