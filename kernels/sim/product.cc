#include "kernels/sim/product.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace oddtile::simulator {

namespace {

constexpr int kRows = ProductTile::kRows;
constexpr int kColumns = ProductTile::kColumns;
constexpr int kProducts = ProductTile::kProducts;

constexpr int kZero = -100000;    // the exponent of a zero: never the largest
constexpr int kLowest = -400;     // below every exponent of a product that is not zero
constexpr int kFloor = -133;      // of an alignment, where everything is smaller
constexpr int kNotFinite = 1024;  // of infinities and NaN, in double

// Eight columns of one row.
struct Columns {
  __m256d left;
  __m256d right;
};

Columns plain_sum(const ProductTile& tile, int row, Columns sum) {
  for (int product = 0; product < kProducts; ++product) {
    const __m256d factor = _mm256_broadcast_sd(&tile.a[row][product]);
    sum.left = _mm256_fmadd_pd(factor, _mm256_load_pd(&tile.b[product][0]), sum.left);
    sum.right = _mm256_fmadd_pd(factor, _mm256_load_pd(&tile.b[product][4]), sum.right);
  }
  return sum;
}

Columns load_sum(const float* sum) {
  return {_mm256_cvtps_pd(_mm_load_ps(sum)), _mm256_cvtps_pd(_mm_load_ps(sum + 4))};
}

void add_plainly(const ProductTile& tile, float* sum) {
  for (int row = 0; row < kRows; ++row, sum += kColumns) {
    const Columns total = plain_sum(tile, row, load_sum(sum));
    _mm_store_ps(sum, _mm256_cvtpd_ps(total.left));
    _mm_store_ps(sum + 4, _mm256_cvtpd_ps(total.right));
  }
}

int exponent_of(double x, int smallest) {
  const uint64_t bits = std::bit_cast<uint64_t>(x) << 1;
  return bits == 0 ? kZero : std::max(int(bits >> 53) - 1023, smallest);
}

struct Exponents {
  alignas(32) int32_t a[kRows][kProducts];
  alignas(32) int32_t b[kProducts][kColumns];
  bool finite = true;

  explicit Exponents(const ProductTile& tile) {
    int32_t largest = 0;
    for (int row = 0; row < kRows; ++row) {
      for (int product = 0; product < kProducts; ++product) {
        a[row][product] = exponent_of(tile.a[row][product], tile.smallest_exponent);
        largest = std::max(largest, a[row][product]);
      }
    }
    for (int product = 0; product < kProducts; ++product) {
      for (int column = 0; column < kColumns; ++column) {
        b[product][column] = exponent_of(tile.b[product][column], tile.smallest_exponent);
        largest = std::max(largest, b[product][column]);
      }
    }
    finite = largest < kNotFinite;
  }
};

// Of eight floats; a zero has the lowest, a subnormal that of the smallest normal number.
__m256i exponents_of(const float* sum) {
  const __m256i magnitude =
      _mm256_and_si256(_mm256_castps_si256(_mm256_load_ps(sum)), _mm256_set1_epi32(0x7FFFFFFF));
  const __m256i exponent =
      _mm256_max_epi32(_mm256_sub_epi32(_mm256_srli_epi32(magnitude, 23), _mm256_set1_epi32(127)),
                       _mm256_set1_epi32(-126));
  const __m256i zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
  return _mm256_blendv_epi8(exponent, _mm256_set1_epi32(kLowest), zero);
}

__m256d power_of_two(__m128i exponent) {
  const __m256i biased = _mm256_cvtepi32_epi64(_mm_add_epi32(exponent, _mm_set1_epi32(1023)));
  return _mm256_castsi256_pd(_mm256_slli_epi64(biased, 52));
}

// To float toward zero: one step back where rounding to nearest went away from it. From 2^128 on
// the infinity stays.
__m128 truncate_to_float(__m256d x) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m256d size = _mm256_andnot_pd(sign, x);
  const __m128 nearest = _mm256_cvtpd_ps(x);
  const __m256d back = _mm256_andnot_pd(sign, _mm256_cvtps_pd(nearest));
  const __m256d away = _mm256_and_pd(_mm256_cmp_pd(back, size, _CMP_GT_OQ),
                                     _mm256_cmp_pd(size, _mm256_set1_pd(0x1p128), _CMP_LT_OQ));
  const __m256i wide = _mm256_castpd_si256(away);
  const __m128i mask = _mm_castps_si128(
      _mm_shuffle_ps(_mm_castsi128_ps(_mm256_castsi256_si128(wide)),
                     _mm_castsi128_ps(_mm256_extracti128_si256(wide, 1)), _MM_SHUFFLE(2, 0, 2, 0)));
  return _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(nearest), mask));
}

template <bool truncates>
struct Grouped {
  const ProductTile& tile;
  const Exponents& exponents;
  int group;
  int fraction_bits;

  static constexpr int kRounding =
      (truncates ? _MM_FROUND_TO_ZERO : _MM_FROUND_TO_NEAREST_INT) | _MM_FROUND_NO_EXC;

  static __m256d cut(__m256d x) { return _mm256_round_pd(x, kRounding); }
  static __m128 narrow(__m256d x) { return truncates ? truncate_to_float(x) : _mm256_cvtpd_ps(x); }

  __m256i largest_exponents(int row, int first, const float* sum) const {
    __m256i largest = _mm256_max_epi32(exponents_of(sum), _mm256_set1_epi32(kFloor));
    for (int product = first; product < first + group; ++product) {
      const __m256i left = _mm256_set1_epi32(exponents.a[row][product]);
      const auto* right = reinterpret_cast<const __m256i*>(&exponents.b[product][0]);
      largest = _mm256_max_epi32(largest, _mm256_add_epi32(left, _mm256_load_si256(right)));
    }
    return largest;
  }

  void add_group(int row, int first, float* sum) const {
    const __m256i largest = largest_exponents(row, first, sum);
    const __m256i up = _mm256_sub_epi32(_mm256_set1_epi32(fraction_bits), largest);
    const __m256i down = _mm256_sub_epi32(largest, _mm256_set1_epi32(fraction_bits));
    const Columns scale = {power_of_two(_mm256_castsi256_si128(up)),
                           power_of_two(_mm256_extracti128_si256(up, 1))};
    Columns total = load_sum(sum);
    total.left = cut(_mm256_mul_pd(total.left, scale.left));
    total.right = cut(_mm256_mul_pd(total.right, scale.right));
    for (int product = first; product < first + group; ++product) {
      const __m256d factor = _mm256_broadcast_sd(&tile.a[row][product]);
      const __m256d left = _mm256_mul_pd(factor, _mm256_load_pd(&tile.b[product][0]));
      const __m256d right = _mm256_mul_pd(factor, _mm256_load_pd(&tile.b[product][4]));
      total.left = _mm256_add_pd(total.left, cut(_mm256_mul_pd(left, scale.left)));
      total.right = _mm256_add_pd(total.right, cut(_mm256_mul_pd(right, scale.right)));
    }
    const __m256d left = _mm256_mul_pd(total.left, power_of_two(_mm256_castsi256_si128(down)));
    const __m256d right =
        _mm256_mul_pd(total.right, power_of_two(_mm256_extracti128_si256(down, 1)));
    // A sum of zeros of any sign is +0, and so is one of which nothing is left.
    const __m128 plus_zero = _mm_setzero_ps();
    _mm_store_ps(sum, _mm_add_ps(narrow(left), plus_zero));
    _mm_store_ps(sum + 4, _mm_add_ps(narrow(right), plus_zero));
  }

  void add(float* sum) const {
    for (int row = 0; row < kRows; ++row, sum += kColumns) {
      for (int first = 0; first < kProducts; first += group) add_group(row, first, sum);
    }
  }
};

template <bool truncates>
void add_grouped(const ProductTile& tile, const Exponents& exponents,
                 const sim::Arithmetic& arithmetic, float* sum) {
  Grouped<truncates>{tile, exponents, arithmetic.mma_products, arithmetic.mma_fraction_bits}.add(
      sum);
}

bool all_finite(const float* sum) {
  bool finite = true;
  for (int i = 0; i < kRows * kColumns; ++i) {
    finite = finite && (std::bit_cast<uint32_t>(sum[i]) & 0x7F800000u) != 0x7F800000u;
  }
  return finite;
}

}  // namespace

void add_products(const ProductTile& tile, const sim::Arithmetic& arithmetic, float* sum) {
  if (arithmetic.mma_products <= 0) {
    add_plainly(tile, sum);
    return;
  }
  const Exponents exponents(tile);
  // The plain sum of finite operands is finite in double, so that an element whose plain sum is not
  // has an operand that is not: it gets that sum.
  const bool finite = exponents.finite && all_finite(sum);
  alignas(32) double plain[kRows][kColumns];
  for (int row = 0; row < kRows && !finite; ++row) {
    const Columns total = plain_sum(tile, row, load_sum(sum + row * kColumns));
    _mm256_store_pd(&plain[row][0], total.left);
    _mm256_store_pd(&plain[row][4], total.right);
  }
  if (arithmetic.mma_truncates) {
    add_grouped<true>(tile, exponents, arithmetic, sum);
  } else {
    add_grouped<false>(tile, exponents, arithmetic, sum);
  }
  for (int i = 0; i < kRows * kColumns && !finite; ++i) {
    const double total = plain[i / kColumns][i % kColumns];
    if (!(total - total == 0)) sum[i] = float(total);
  }
}

}  // namespace oddtile::simulator
