// What a profile (kernels.h) means for the bounds, and how generous it may be.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/api/kernels.h"

namespace oddtile::oracles {

// Ceilings: what an implementation may at most declare. Each is above what hardware was measured
// to do (README.md, "Ceilings") and below what would hide a fault.
struct Ceilings {
  double exp2_error = 0x1.8p-22;   // 3 ulp; measured for ex2.approx: 2^-22.73
  double log2_error = 0x1p-20;     // measured for lg2.approx: 2^-22.15
  double division_error_u = 4;     // rcp.approx and a product: 3
  double kappa_per_product = 3;    // K = 16, F = 23: 2.25; sequential FMA: 1
  double extra_frame_u = 1;        // unrounded maxima in the factors
  double lazy_threshold_log2 = 8;  // weights up to 256 still fit fp16 sums of 2^7 keys
  int64_t step_columns = 16;       // of an online step, at least; two steps more for what merges
  int64_t sum_share = 4;           // a row is shared by 4 partial sums at least, but
  int64_t sum_depth = 1024;        // so many additions may follow one another in any row
};
inline constexpr Ceilings kCeilings;

// One clause, "exp2_error 0.001 is outside 0..3.58e-07", or empty where the profile is acceptable
// for elements of type `dtype` and rows of n columns or keys (0: no rows). A NaN and a negative
// field are refused as well.
std::string too_generous(const oddtile_profile& profile, oddtile_dtype dtype, oddtile_kernel kernel,
                         int64_t n);

// Accumulation factor in units of u of an inner product of k terms (README.md, "Products"): k for
// sequential fp32 FMA; for a matrix unit that aligns groups of K products plus the accumulator to
// the largest exponent and truncates to F fraction bits: each of the g + 1 addends of a group
// loses less than 2^-F of the largest, the result is truncated to 24 bits (2 u), hence
// (g + 1) 2^(24-F) + 2 per group, and half of that where the unit rounds to nearest (mma_rounds);
// the first accumulator is 0 and loses nothing. The operands of one product are 16-bit, so that a
// single product is exact: 0.
double kappa(int64_t k, const oddtile_profile& profile);

// Sum over tiles of kappa for P V. Hidden keys have weight 0 and lose nothing, but the live keys of
// a tile may be spread over all its groups. `keys`: the live ones, ascending.
double kappa_values(std::span<const int64_t> keys, const oddtile_profile& profile);

// Depth of the sum of the weights at `keys` (ascending): additions on the longest path. Each tile
// gives every lane at most ceil(tile / lanes) terms, and no more than are live; the lanes meet in
// a tree. Nothing declared: the number of keys.
double sum_depth(std::span<const int64_t> keys, const oddtile_profile& profile);
// The same for the columns 0..n-1.
double sum_depth(int64_t n, const oddtile_profile& profile);

// Tiles that hold one of `keys`; 1 where tiles are not declared, 0 without keys.
int64_t tiles_touched(std::span<const int64_t> keys, const oddtile_profile& profile);

}  // namespace oddtile::oracles
