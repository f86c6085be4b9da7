// The matrix unit. A warp's fragments, stored in the order of the lanes, are 8x8 blocks in row
// major order (lane 4r+t holds elements 2t and 2t+1 of row r), so no element is looked up one by
// one.
#include <immintrin.h>

#include "kernels/sim/product.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRows = ProductTile::kRows;
constexpr int kProducts = ProductTile::kProducts;
constexpr int kFlops = 2 * kRows * ProductTile::kColumns * kProducts;

// Eight 16-bit elements as floats; both formats convert exactly.
__m256 widen(const void* elements, bool bfloat16) {
  const __m128i bits = _mm_load_si128(static_cast<const __m128i*>(elements));
  if (!bfloat16) return _mm256_cvtph_ps(bits);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

// b arrives as its transpose (a row per column of b); `to` has a row for each of the 16 products.
void widen_b(const uint32_t (*from)[kWarpLanes], bool bfloat16, double (&to)[kProducts][8]) {
  for (int half = 0; half < 2; ++half) {
    for (int column = 0; column < 8; ++column) {
      alignas(32) float row[8];
      _mm256_store_ps(row, widen(&from[half][4 * column], bfloat16));
      for (int product = 0; product < 8; ++product) {
        to[8 * half + product][column] = double(row[product]);
      }
    }
  }
}

// Blocks 0 and 1 are the upper and lower left of a, 2 and 3 the upper and lower right.
void widen_a(const uint32_t (&from)[4][kWarpLanes], bool bfloat16, double (&to)[kRows][kProducts]) {
  for (int block = 0; block < 4; ++block) {
    for (int row = 0; row < 8; ++row) {
      const __m256 wide = widen(&from[block][4 * row], bfloat16);
      double* target = &to[8 * (block & 1) + row][8 * (block >> 1)];
      _mm256_store_pd(target, _mm256_cvtps_pd(_mm256_castps256_ps128(wide)));
      _mm256_store_pd(target + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(wide, 1)));
    }
  }
}

}  // namespace

void begin_product(const Warp& warp, bool bfloat16, ProductTile* tile) {
  widen_a(warp.a, bfloat16, tile->a);
  tile->smallest_exponent = bfloat16 ? kBfloat16SmallestExponent : kHalfSmallestExponent;
}

void add_product(Warp& warp, int block, bool bfloat16, const sim::Arithmetic& arithmetic,
                 ProductTile* tile) {
  widen_b(&warp.b[2 * block], bfloat16, tile->b);
  static_assert(sizeof warp.sum == sizeof(float) * kRows * 8);
  add_products(*tile, arithmetic, &warp.sum[0][0]);
}

void multiply_16x8x16(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                      bool bfloat16, Site site) {
  sim::Machine::State& machine = *running;
  Warp& warp = machine.warp();
  const int self = machine.current_lane;
  for (int block = 0; block < 4; ++block) warp.a[block][self] = a[block];
  warp.b[0][self] = b0;
  warp.b[1][self] = b1;
  float* upper = &warp.sum[0][2 * self];
  float* lower = &warp.sum[1][2 * self];
  upper[0] = sum[0];
  upper[1] = sum[1];
  lower[0] = sum[2];
  lower[1] = sum[3];
  if (machine.arrive(Word::mma, site)) {
    ProductTile tile;
    begin_product(warp, bfloat16, &tile);
    add_product(warp, 0, bfloat16, machine.arithmetic, &tile);
    machine.counters.flops += kFlops;
    machine.release();
  }
  sum[0] = upper[0];
  sum[1] = upper[1];
  sum[2] = lower[0];
  sum[3] = lower[1];
}

}  // namespace oddtile::simulator
