// What the argument checks of every kernel share. Host code; knows no machine.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/api/kernels.h"

namespace oddtile {

inline constexpr int64_t kMostElements = int64_t(1)
                                         << 50;     // more than any memory; no sum overflows
inline constexpr int64_t kMostBlocks = 0x7FFFFFFF;  // of one launch

// The value of an enumeration that came through the C ABI: any bits, also such as it does not name.
template <class Enum>
uint32_t enumeration_bits(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(uint32_t));
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline bool is_dtype(const oddtile_dtype& dtype) {
  return enumeration_bits(dtype) <= uint32_t(oddtile_bf16);
}

inline int64_t element_bytes(oddtile_dtype dtype) {
  return dtype == oddtile_fp32 ? 4 : 2;
}

inline constexpr int64_t kWorkspaceAlignment = 256;

inline bool is_workspace(const void* workspace) {
  return workspace != nullptr &&
         reinterpret_cast<uintptr_t>(workspace) % uintptr_t(kWorkspaceAlignment) == 0;
}

// Bytes of memory, [begin, end).
struct Extent {
  uintptr_t begin;
  uintptr_t end;
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};

// A strided view of up to four dimensions; sizes and strides in elements, a stride may be 0 or
// negative. Dimensions of size 1 have no stride that matters.
struct View {
  const void* data;
  int64_t sizes[4];
  int64_t strides[4];
  int64_t element_bytes;

  bool empty() const { return sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0 || sizes[3] == 0; }

  bool misaligned() const {
    return reinterpret_cast<uintptr_t>(data) % uintptr_t(element_bytes) != 0;
  }

  // Whether its addresses are beyond any memory. The view is not empty.
  bool too_large() const {
    int64_t elements = 1, reach = 1;
    for (int d = 0; d < 4; ++d) {
      if (__builtin_mul_overflow(elements, sizes[d], &elements) || elements > kMostElements) {
        return true;
      }
      // -(stride + 1) is no less than |stride| - 1 and has no overflow at INT64_MIN.
      const int64_t steps = strides[d] < 0 ? -(strides[d] + 1) : strides[d];
      int64_t product = 0;
      if (__builtin_mul_overflow(sizes[d] - 1, steps, &product) || product > kMostElements) {
        return true;
      }
      reach += product;
    }
    return reach > kMostElements;
  }

  // The bytes between its lowest and its highest element. Not empty, not too large.
  Extent extent() const {
    int64_t low = 0, high = 0;
    for (int d = 0; d < 4; ++d) {
      const int64_t reach = sizes[d] > 1 ? (sizes[d] - 1) * strides[d] : 0;
      (reach < 0 ? low : high) += reach;
    }
    const auto origin = reinterpret_cast<uintptr_t>(data);
    return {origin + uintptr_t(low * element_bytes),
            origin + uintptr_t((high + 1) * element_bytes)};
  }

  // Sufficient for distinct addresses, and met by every nested layout: taken from the smallest
  // stride up, each stride steps over everything below it.
  bool overlaps_itself() const {
    bool used[4] = {};
    int64_t covered = 1;
    for (int round = 0; round < 4; ++round) {
      int next = -1;
      for (int d = 0; d < 4; ++d) {
        if (!used[d] && sizes[d] > 1 && (next < 0 || strides[d] < strides[next])) next = d;
      }
      if (next < 0) return false;
      used[next] = true;
      if (strides[next] < covered) return true;  // also 0 and negative
      covered += (sizes[next] - 1) * strides[next];
    }
    return false;
  }
};

}  // namespace oddtile
