// Argument checks of vector add.
#include "kernels/api/arguments.h"

#include <initializer_list>

#include "kernels/vector_add/parameters.h"

namespace oddtile {
namespace {

View dense(const void* data, int64_t n, int64_t bytes) {
  return {data, {1, 1, 1, n}, {0, 0, 0, 1}, bytes};
}

}  // namespace

oddtile_status check_vector_add(const oddtile_vector_add_problem& p) {
  if (!is_dtype(p.dtype)) return oddtile_bad_dtype;
  if (p.n < 0 || p.n > kMostElements) return oddtile_bad_shape;
  if (p.n == 0) return oddtile_ok;
  const int64_t bytes = element_bytes(p.dtype);
  const View x = dense(p.x, p.n, bytes);
  const View y = dense(p.y, p.n, bytes);
  const View out = dense(p.out, p.n, bytes);
  for (const View* view : {&x, &y, &out}) {
    if (view->data == nullptr) return oddtile_null_pointer;
  }
  for (const View* view : {&x, &y, &out}) {
    if (view->misaligned()) return oddtile_misaligned;
  }
  for (const View* input : {&x, &y}) {
    if (input->data != p.out && input->extent().overlaps(out.extent())) return oddtile_overlap;
  }
  if (p.mask != nullptr && dense(p.mask, p.n, 1).extent().overlaps(out.extent())) {
    return oddtile_overlap;
  }
  return oddtile_ok;
}

}  // namespace oddtile
