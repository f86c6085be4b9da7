// A tensor in global memory and the box of it that one bulk copy moves: what a tensor map holds,
// and the rules under which the machine takes it (PTX ISA and cuTensorMapEncodeTiled).
#pragma once

#include <cstdint>

#include "kernels/base/matrix_descriptor.h"

namespace oddtile {

enum class TensorElement : uint8_t { byte, half, bfloat16, float32 };

constexpr int64_t element_size(TensorElement element) {
  return element == TensorElement::byte ? 1 : element == TensorElement::float32 ? 4 : 2;
}

inline constexpr int kTensorRankMax = 5;

// Dimension 0 is the innermost one; its elements are adjacent.
struct TensorLayout {
  const void* base = nullptr;
  TensorElement element = TensorElement::half;
  Swizzle swizzle = Swizzle::none;
  int32_t rank = 1;
  int64_t extent[kTensorRankMax] = {1, 1, 1, 1, 1};  // elements
  int64_t stride_bytes[kTensorRankMax] = {};         // [0] is not looked at
  int32_t box[kTensorRankMax] = {1, 1, 1, 1, 1};     // elements

  constexpr int64_t row_bytes() const { return box[0] * element_size(element); }
  constexpr int64_t box_bytes() const {  // what a copy adds to the barrier's count, always in full
    int64_t bytes = element_size(element);
    for (int dimension = 0; dimension < rank; ++dimension) bytes *= box[dimension];
    return bytes;
  }
};

// Why no tensor map can describe this layout; null when one can.
inline const char* refusal(const TensorLayout& layout) {
  if (reinterpret_cast<uintptr_t>(layout.base) % 16 != 0) return "base is not 16-byte aligned";
  if (layout.rank < 1 || layout.rank > kTensorRankMax) return "rank outside 1 to 5";
  for (int i = 0; i < layout.rank; ++i) {
    if (layout.extent[i] < 1 || layout.extent[i] > int64_t(1) << 32)
      return "extent outside 1..2^32";
    if (layout.box[i] < 1 || layout.box[i] > 256) return "box outside 1 to 256";
    if (i == 0) continue;
    if (layout.stride_bytes[i] % 16 != 0) return "stride is no multiple of 16 bytes";
    if (layout.stride_bytes[i] < 0 || layout.stride_bytes[i] >= int64_t(1) << 40) {
      return "stride outside 0 to 2^40 bytes";
    }
  }
  if (layout.row_bytes() % 16 != 0) return "box's rows are no multiple of 16 bytes";
  // The driver also takes shorter rows; kernels need none, and where those go was not measured.
  if (layout.swizzle != Swizzle::none && layout.row_bytes() != swizzle_span(layout.swizzle)) {
    return "box's rows are not as long as the swizzle's span";
  }
  return nullptr;
}

// The object that copies are given: opaque, made by encode_tensor_map, read from kernel parameters.
struct alignas(64) TensorMap {
  uint64_t words[16] = {};
};

}  // namespace oddtile
