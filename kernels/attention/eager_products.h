// The two products of the eager baseline. On the GPU they go through cuBLAS (loaded at run time),
// on the simulator they are a plain kernel: the one place where the machines do not share a source.
#pragma once

#include <cstdint>

#include "kernels/api/kernels.h"
#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// out[b] = left[b] right[b] for `count` row-major matrices in 16 bits; left is (rows, depth), right
// is (depth, columns), or (columns, depth) when transposed; out is fp32 or 16 bits. Strides in
// elements: from row to row, and from matrix to matrix.
struct Product {
  oddtile_dtype dtype;
  int64_t count;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  const void* left;
  int64_t left_row_stride;
  int64_t left_stride;
  const void* right;
  int64_t right_row_stride;
  int64_t right_stride;
  bool right_transposed;
  void* out;
  int64_t out_row_stride;
  int64_t out_stride;
  bool out_fp32;
};

bool products_available();
// Products of less depth do not begin their sums at +0: a sum of nothing but -0 would be -0, where
// O has to be +0.
int64_t least_product_depth();
oddtile_status multiply(const Product& product, void* stream);

// How the products accumulate, for the profile: as MachineArithmetic; 0 products: fp32 FMA in turn.
struct ProductArithmetic {
  int mma_products;
  int mma_fraction_bits;
};
ProductArithmetic product_arithmetic();

}  // namespace oddtile::ODDTILE_MACHINE
