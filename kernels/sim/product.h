// The arithmetic of the matrix unit on one 16x8x16 tile, apart from how a warp hands it over: what
// every word that multiplies matrices is made of.
#pragma once

#include "kernels/sim/machine.h"

namespace oddtile::simulator {

// Exponents of the smallest normal numbers: a subnormal operand counts with this one.
inline constexpr int kHalfSmallestExponent = -14;
inline constexpr int kBfloat16SmallestExponent = -126;

struct ProductTile {
  static constexpr int kRows = 16, kColumns = 8, kProducts = 16;
  // Widened from 16 bits, so that the product of two is exact.
  alignas(32) double a[kRows][kProducts];
  alignas(32) double b[kProducts][kColumns];
  int smallest_exponent;
};

// sum += a b; `sum` is 16x8, row major, 32-byte aligned.
//
// Plain: in double every product is exact and the sum of the 17 terms loses at most 17 * 2^-53 of
// its magnitudes, so that the only rounding that counts is the last one, to float.
//
// Grouped (mma_products > 0), as measured on an H200 (Fasi, Higham, Mikaitis, Pranesh 2021 describe
// the method): let e be the largest of exponent(a) + exponent(b) over the group's non-zero products
// (significands not multiplied: 1.5 * 1.5 counts as 0) and the accumulator's exponent (-126 of a
// subnormal one), but at least -133. Each addend is cut to a multiple of 2^(e - F), the sum of
// these is exact and is cut to a float. Infinities and NaN behave as in IEEE arithmetic; a sum of
// zeros, and one of which the float keeps nothing, is +0; from 2^128 on it is infinite.
void add_products(const ProductTile& tile, const sim::Arithmetic& arithmetic, float* sum);

}  // namespace oddtile::simulator
