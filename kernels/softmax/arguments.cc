// Argument checks of softmax.
#include "kernels/api/arguments.h"

#include <initializer_list>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kMostColumns = int64_t(1) << 31;

View rows_of(const oddtile_softmax_problem& p, const void* data, int64_t stride, int64_t bytes) {
  return {data, {1, 1, p.rows, p.columns}, {0, 0, stride, 1}, bytes};
}

// Whether an element of y is one of x's: exact for equal strides (rows may lie interleaved),
// otherwise by the memory that each spans.
bool shares_elements(const oddtile_softmax_problem& p, const View& x, const View& y) {
  if (!x.extent().overlaps(y.extent())) return false;
  if (p.rows == 1 || p.x_row_stride != p.y_row_stride) return true;
  const int64_t size = x.element_bytes;
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

}  // namespace

oddtile_status check_softmax(const oddtile_softmax_problem& p) {
  if (!is_dtype(p.dtype)) return oddtile_bad_dtype;
  if (p.rows < 0 || p.columns < 0 || p.columns > kMostColumns) return oddtile_bad_shape;
  if (p.rows == 0 || p.columns == 0) return oddtile_ok;
  const int64_t bytes = element_bytes(p.dtype);
  const View x = rows_of(p, p.x, p.x_row_stride, bytes);
  const View y = rows_of(p, p.y, p.y_row_stride, bytes);
  const View mask = rows_of(p, p.mask, p.mask ? p.mask_row_stride : 0, 1);
  for (const View* view : {&x, &y, &mask}) {
    if (view->too_large()) return oddtile_bad_shape;
  }
  if (p.x == nullptr || p.y == nullptr) return oddtile_null_pointer;
  if (x.misaligned() || y.misaligned()) return oddtile_misaligned;
  if (y.overlaps_itself()) return oddtile_bad_stride;
  const bool in_place = p.x == p.y && (p.rows == 1 || p.x_row_stride == p.y_row_stride);
  if (!in_place && shares_elements(p, x, y)) return oddtile_overlap;
  if (p.mask != nullptr && mask.extent().overlaps(y.extent())) return oddtile_overlap;
  return oddtile_ok;
}

}  // namespace oddtile
