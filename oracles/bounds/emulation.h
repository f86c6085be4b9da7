// For tests and searches: the arithmetic of right kernels and the faults of wrong ones. Every
// legitimate liberty (tiles, order, lanes, accumulation, exponential, frame, cast) is a switch,
// every fault another. emulated_kernels.h runs one row with them. Shares no code with the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/api/kernels.h"
#include "kernels/base/bits.h"
#include "kernels/base/random.h"
#include "oracles/bounds/profile.h"

namespace oddtile::oracles::emulation {

enum class Fault {
  none,
  drops_last_key,
  drops_first_of_second_tile,
  omits_rescale_of_output,
  omits_rescale_of_sum,
  exp_without_log2e,
  lse_in_base_2,
  mixes_frames,
  sum_of_rounded_weights_in_16_bit,
  scale_squared
};

struct Variant {
  oddtile_dtype dtype = oddtile_fp16;
  int64_t tile = 16;
  bool backward = false;  // last tile first
  int64_t lanes = 4;
  int products = 0;           // K; 0: sequential FMA
  int fraction_bits = 23;     // F
  bool rounds = false;        // addends and results of groups to nearest, else toward zero
  bool difference = false;    // ex2((s - m) c) instead of ex2(fma(s, c, -M))
  bool scaled_first = false;  // scores are scaled and rounded before anything else
  bool normalised = false;    // P divided by the sum before the cast; one tile
  double lazy = 0;            // rescale only when the maximum rises by more than 2^lazy
  bool flush = true;
  int exp_error_sign = 0;  // -1, 1: every exp2 off by the declared error; 0: at random
  // Where not 0: exp2 is too large from this argument on and too small below, or the other way
  // round where exp_error_sign is negative. Errors of one sign cancel between a weight and the sum.
  float exp_error_turn = 0;
  Fault fault = Fault::none;

  oddtile_profile profile() const {
    oddtile_profile p = {};
    p.tile_columns = int32_t(tile);
    p.sum_lanes = int32_t(lanes);
    p.mma_products = products;
    p.mma_fraction_bits = products > 0 ? fraction_bits : 0;
    p.mma_rounds = products > 0 && rounds;
    p.weight_dtype = dtype;
    p.weight_normalised = normalised;
    p.exp2_flushes = flush;
    p.exp2_error = 0x1p-22;
    p.log2_error = 0x1p-22;
    p.division_error_u = 2;
    p.lazy_threshold_log2 = lazy;
    return p;
  }
};

inline float cast(float value, oddtile_dtype type) {
  if (type == oddtile_fp32) return value;
  return type == oddtile_fp16 ? half_to_float(float_to_half(value))
                              : bfloat16_to_float(float_to_bfloat16(value));
}

class Arithmetic {
 public:
  Arithmetic(const Variant& variant, uint64_t seed)
      : variant_(variant), seed_(seed), random_(seed) {}

  // Off by up to the declared error, and the same for the same argument, as hardware is.
  float exp2(float x) {
    Random of_argument = Random(seed_).split(std::bit_cast<uint32_t>(x));
    double error =
        variant_.exp_error_sign != 0 ? variant_.exp_error_sign : 2 * of_argument.unit() - 1;
    if (variant_.exp_error_turn != 0 && x < variant_.exp_error_turn) error = -error;
    const double value = std::exp2(double(x)) * (x == 0 ? 1 : 1 + error * 0x1p-22);
    if (variant_.flush && value < 0x1p-126) return 0;
    return float(value);
  }
  float log2(float x) { return float(std::log2(double(x)) + (2 * random_.unit() - 1) * 0x1p-23); }

  // accumulator + sum a[i] b[i], in the variant's arithmetic.
  float multiply_add(const std::vector<float>& a, const std::vector<float>& b, float accumulator) {
    const size_t n = a.size();
    if (variant_.products <= 0) {
      for (size_t i = 0; i < n; ++i) accumulator = std::fma(a[i], b[i], accumulator);
      return accumulator;
    }
    const size_t group = size_t(variant_.products);
    for (size_t first = 0; first < n; first += group)
      accumulator = add_group(&a[first], &b[first], std::min(group, n - first), accumulator);
    return accumulator;
  }

 private:
  // Products and accumulator aligned to the largest exponent, cut to F fraction bits, added
  // exactly, cut to fp32.
  float add_group(const float* a, const float* b, size_t n, float accumulator) const {
    int largest = accumulator != 0 ? std::ilogb(accumulator) : -10000;
    for (size_t i = 0; i < n; ++i)
      if (a[i] != 0 && b[i] != 0) largest = std::max(largest, std::ilogb(a[i]) + std::ilogb(b[i]));
    if (largest == -10000) return 0;
    const double unit = std::ldexp(1.0, largest - variant_.fraction_bits);
    const auto cut = [&](double x) { return variant_.rounds ? std::nearbyint(x) : std::trunc(x); };
    double sum = cut(double(accumulator) / unit);
    for (size_t i = 0; i < n; ++i) sum += cut(double(a[i]) * double(b[i]) / unit);
    sum *= unit;
    const float near = float(sum);
    if (variant_.rounds) return near;
    return std::fabs(double(near)) > std::fabs(sum) ? std::nextafter(near, 0.0f) : near;
  }

  const Variant& variant_;
  uint64_t seed_;
  Random random_;
};

inline Variant random_variant(Random& random) {
  Variant variant;
  variant.dtype = random.below(2) ? oddtile_fp16 : oddtile_bf16;
  variant.tile = random.below(2) ? 16 : 64;
  variant.backward = random.below(2);
  variant.lanes = random.below(2) ? 4 : 1;
  if (random.below(3) != 0) {
    variant.products = 16;
    variant.fraction_bits = random.below(2) ? 23 : 25;
    variant.rounds = random.below(4) == 0;
  }
  variant.difference = random.below(3) == 0;
  variant.scaled_first = random.below(4) == 0;
  variant.exp_error_sign = int(random.below(3)) - 1;
  if (random.below(4) == 0) {
    variant.normalised = true;
    variant.tile = 1024;
  } else if (random.below(4) == 0) {
    variant.lazy = 8;
  }
  return variant;
}

}  // namespace oddtile::oracles::emulation
