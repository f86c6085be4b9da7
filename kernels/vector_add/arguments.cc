#include <cstring>
#include <initializer_list>

#include "kernels/vector_add/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kMostElements = int64_t(1) << 50;  // more than any memory, and no sum overflows

bool overlap(const void* a, int64_t a_bytes, const void* b, int64_t b_bytes) {
  const auto from_a = reinterpret_cast<uintptr_t>(a);
  const auto from_b = reinterpret_cast<uintptr_t>(b);
  return from_a < from_b + uintptr_t(b_bytes) && from_b < from_a + uintptr_t(a_bytes);
}

// The caller may pass any bits, also such as no oddtile_dtype has.
bool is_dtype(const oddtile_dtype& dtype) {
  uint32_t bits = 0;
  std::memcpy(&bits, &dtype, sizeof(bits));
  return bits <= uint32_t(oddtile_bf16);
}

}  // namespace

oddtile_status check_vector_add(const oddtile_vector_add_problem& p) {
  if (!is_dtype(p.dtype)) return oddtile_bad_dtype;
  if (p.n < 0 || p.n > kMostElements) return oddtile_bad_shape;
  if (p.n == 0) return oddtile_ok;
  const int64_t size = p.dtype == oddtile_fp32 ? 4 : 2;
  for (const void* tensor : {p.x, p.y, static_cast<const void*>(p.out)}) {
    if (tensor == nullptr) return oddtile_null_pointer;
  }
  for (const void* tensor : {p.x, p.y, static_cast<const void*>(p.out)}) {
    if (reinterpret_cast<uintptr_t>(tensor) % uintptr_t(size) != 0) return oddtile_misaligned;
  }
  const int64_t bytes = p.n * size;
  for (const void* input : {p.x, p.y}) {
    if (input != p.out && overlap(input, bytes, p.out, bytes)) return oddtile_overlap;
  }
  if (p.mask != nullptr && overlap(p.mask, p.n, p.out, bytes)) return oddtile_overlap;
  return oddtile_ok;
}

}  // namespace oddtile
