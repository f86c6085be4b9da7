// The eager baseline's products on the simulator: one lane per output element, fp32 FMA in turn.
#include "kernels/attention/eager_products.h"
#include "kernels/base/bits.h"

namespace oddtile::sim {
namespace {

template <class T>
struct ProductParameters {
  Global<const T> left;
  Global<const T> right;
  Global<T> out;
  Global<float> out_fp32;  // one of the two is null
  Product shape;
};

template <class T>
void product_kernel(const ProductParameters<T> p) {
  const Product& s = p.shape;
  const int64_t index = block() * threads() + thread();
  if (index >= s.count * s.rows * s.columns) return;
  const int64_t column = index % s.columns;
  const int64_t row = index / s.columns % s.rows;
  const int64_t matrix = index / s.columns / s.rows;
  const Global<const T> left = p.left + (matrix * s.left_stride + row * s.left_row_stride);
  const Global<const T> right = p.right + matrix * s.right_stride;
  float sum = 0.0f;
  for (int64_t i = 0; i < s.depth; ++i) {
    const int64_t at =
        s.right_transposed ? column * s.right_row_stride + i : i * s.right_row_stride + column;
    sum = fma(to_float(load(left, i)), to_float(load(right, at)), sum);
  }
  sum += 0.0f;  // a sum of zeros is +0: a hidden value times weight 0 has no say, not even its sign
  const int64_t target = matrix * s.out_stride + row * s.out_row_stride + column;
  if (p.out_fp32) {
    store(p.out_fp32, target, sum);
  } else {
    store(p.out, target, from_float<T>(sum));
  }
}

template <class T>
oddtile_status multiply_as(const Product& product, void* stream) {
  const ProductParameters<T> parameters = {
      Global<const T>(static_cast<const T*>(product.left)),
      Global<const T>(static_cast<const T*>(product.right)),
      Global<T>(product.out_fp32 ? nullptr : static_cast<T*>(product.out)),
      Global<float>(product.out_fp32 ? static_cast<float*>(product.out) : nullptr), product};
  const LaunchShape shape = {
      .blocks = ceil_div(product.count * product.rows * product.columns, int64_t(64)),
      .threads = 64};
  return launch(&product_kernel<T>, "eager_product", shape, stream, parameters)
             ? oddtile_ok
             : oddtile_launch_failed;
}

}  // namespace

bool products_available() {
  return true;
}

int64_t least_product_depth() {
  return 1;
}

ProductArithmetic product_arithmetic() {
  return {0, 0};
}

oddtile_status multiply(const Product& product, void* stream) {
  return product.dtype == oddtile_fp16 ? multiply_as<Half>(product, stream)
                                       : multiply_as<Bfloat16>(product, stream);
}

}  // namespace oddtile::sim
