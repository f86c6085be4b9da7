// Argument checks of softmax.
#include <cstring>
#include <initializer_list>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kMostElements = int64_t(1) << 50;  // more than any memory, and no sum overflows
constexpr int64_t kMostColumns = int64_t(1) << 31;

struct Extent {
  uintptr_t begin;
  uintptr_t end;
};

bool overlap(const Extent& a, const Extent& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool too_large(int64_t rows, int64_t columns, int64_t stride) {
  int64_t reach = 0;
  if (__builtin_mul_overflow(rows, stride < 0 ? -(stride + 1) : stride, &reach)) return true;
  return reach > kMostElements || columns > kMostElements;
}

Extent extent(const void* data, int64_t rows, int64_t columns, int64_t stride, int64_t size) {
  const int64_t reach = (rows - 1) * stride;
  const auto origin = reinterpret_cast<uintptr_t>(data);
  return {origin + uintptr_t((reach < 0 ? reach : 0) * size),
          origin + uintptr_t(((reach > 0 ? reach : 0) + columns) * size)};
}

// Whether an element of y is one of x's: exact for equal strides (rows may lie interleaved),
// otherwise by the memory that each spans.
bool shares_elements(const oddtile_softmax_problem& p, int64_t size) {
  if (!overlap(extent(p.x, p.rows, p.columns, p.x_row_stride, size),
               extent(p.y, p.rows, p.columns, p.y_row_stride, size))) {
    return false;
  }
  if (p.rows == 1 || p.x_row_stride != p.y_row_stride) return true;
  const int64_t bytes =
      int64_t(reinterpret_cast<uintptr_t>(p.y) - reinterpret_cast<uintptr_t>(p.x));
  const int64_t stride = p.y_row_stride * size;                  // at least a row
  const int64_t between = ((bytes % stride) + stride) % stride;  // from a row of x to y's next
  const int64_t rows_up = (bytes - between) / stride;            // that row of x, for y's row 0
  const bool meets_lower = between < p.columns * size && rows_up > -p.rows && rows_up < p.rows;
  const bool meets_upper =
      stride - between < p.columns * size && rows_up + 1 > -p.rows && rows_up + 1 < p.rows;
  return meets_lower || meets_upper;
}

// The caller may pass any bits, also such as no oddtile_dtype has.
bool is_dtype(const oddtile_dtype& dtype) {
  uint32_t bits = 0;
  std::memcpy(&bits, &dtype, sizeof(bits));
  return bits <= uint32_t(oddtile_bf16);
}

}  // namespace

int64_t softmax_element_bytes(oddtile_dtype dtype) {
  return dtype == oddtile_fp32 ? 4 : 2;
}

oddtile_status check_softmax(const oddtile_softmax_problem& p) {
  if (!is_dtype(p.dtype)) return oddtile_bad_dtype;
  if (p.rows < 0 || p.columns < 0 || p.columns > kMostColumns) return oddtile_bad_shape;
  if (p.rows == 0 || p.columns == 0) return oddtile_ok;
  for (int64_t stride : {p.x_row_stride, p.y_row_stride, p.mask ? p.mask_row_stride : 0}) {
    if (too_large(p.rows, p.columns, stride)) return oddtile_bad_shape;
  }
  if (p.x == nullptr || p.y == nullptr) return oddtile_null_pointer;
  const int64_t size = softmax_element_bytes(p.dtype);
  for (const void* tensor : {p.x, static_cast<const void*>(p.y)}) {
    if (reinterpret_cast<uintptr_t>(tensor) % uintptr_t(size) != 0) return oddtile_misaligned;
  }
  if (p.rows > 1 && p.y_row_stride < p.columns) return oddtile_bad_stride;
  const bool in_place = p.x == p.y && (p.rows == 1 || p.x_row_stride == p.y_row_stride);
  if (!in_place && shares_elements(p, size)) return oddtile_overlap;
  if (p.mask != nullptr && overlap(extent(p.mask, p.rows, p.columns, p.mask_row_stride, 1),
                                   extent(p.y, p.rows, p.columns, p.y_row_stride, size))) {
    return oddtile_overlap;
  }
  return oddtile_ok;
}

}  // namespace oddtile
