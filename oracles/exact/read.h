// A workload's tensors as doubles: exact, since every element type is a subset of double.
#pragma once

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

// The last dimension at (i0, i1, i2), written to `out` (sizes[3] numbers).
inline void read_row(std::span<const std::byte> buffer, const Tensor& tensor, int64_t i0,
                     int64_t i1, int64_t i2, double* out) {
  const int64_t base = tensor.index(i0, i1, i2, 0);
  for (int64_t i = 0; i < tensor.sizes[3]; ++i)
    out[i] = load_number(buffer, tensor.element, base + i * tensor.strides[3]);
}

}  // namespace oddtile::oracles
