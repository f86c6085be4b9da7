// For tests: what right kernels do, and wrong ones, in plain C++ with fp32 arithmetic. One row at a
// time; every legitimate liberty (tiles, order, lanes, accumulation, exponential, frame, cast) is a
// switch, every fault another. Shares no code with the kernels.
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
  bool difference = false;    // ex2((s - m) c) instead of ex2(fma(s, c, -M))
  bool scaled_first = false;  // scores are scaled and rounded before anything else
  bool normalised = false;    // P divided by the sum before the cast; one tile
  double lazy = 0;            // rescale only when the maximum rises by more than 2^lazy
  bool flush = true;
  int exp_error_sign = 0;  // -1, 1: every exp2 off by the declared error; 0: at random
  Fault fault = Fault::none;

  oddtile_profile profile() const {
    oddtile_profile p = {};
    p.tile_columns = int32_t(tile);
    p.sum_lanes = int32_t(lanes);
    p.mma_products = products;
    p.mma_fraction_bits = products > 0 ? fraction_bits : 0;
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
    const double error =
        variant_.exp_error_sign != 0 ? variant_.exp_error_sign : 2 * of_argument.unit() - 1;
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
      accumulator = truncating_group(&a[first], &b[first], std::min(group, n - first), accumulator);
    return accumulator;
  }

 private:
  // Products and accumulator aligned to the largest exponent, truncated to F fraction bits, added
  // exactly, truncated to fp32.
  float truncating_group(const float* a, const float* b, size_t n, float accumulator) const {
    int largest = accumulator != 0 ? std::ilogb(accumulator) : -10000;
    for (size_t i = 0; i < n; ++i)
      if (a[i] != 0 && b[i] != 0) largest = std::max(largest, std::ilogb(a[i]) + std::ilogb(b[i]));
    if (largest == -10000) return 0;
    const double unit = std::ldexp(1.0, largest - variant_.fraction_bits);
    double sum = std::trunc(double(accumulator) / unit);
    for (size_t i = 0; i < n; ++i) sum += std::trunc(double(a[i]) * double(b[i]) / unit);
    sum *= unit;
    const float near = float(sum);
    return std::fabs(double(near)) > std::fabs(sum) ? std::nextafter(near, 0.0f) : near;
  }

  const Variant& variant_;
  uint64_t seed_;
  Random random_;
};

struct Row {
  std::vector<float> q;               // head_dim
  std::vector<std::vector<float>> k;  // keys x head_dim
  std::vector<std::vector<float>> v;  // keys x columns
  float scale = 1;
};

struct Result {
  std::vector<double> o;
  double lse = 0;
};

// State of the online softmax over one row.
struct State {
  float max = -INFINITY, reference = -INFINITY;  // running maximum and the frame M
  float frame_max = -INFINITY;                   // the maximum that the frame belongs to
  std::vector<float> sums;                       // per lane
  std::vector<float> o;
};

inline float weight(float s, float c, const State& state, const Variant& variant,
                    Arithmetic& arithmetic) {
  if (variant.fault == Fault::mixes_frames)
    return arithmetic.exp2(std::fma(s, c, -(state.frame_max * c)));
  if (variant.difference || std::fabs(state.reference) >= 0x1p22f)
    return arithmetic.exp2((s - state.frame_max) * c);
  return arithmetic.exp2(std::fma(s, c, -state.reference));
}

// Moves the frame to the running maximum where the variant does; returns the factor.
inline float follow(State& state, float c, const Variant& variant, Arithmetic& arithmetic) {
  const float reference = state.max * c;
  if (state.frame_max == -INFINITY) {
    state.frame_max = state.max;
    state.reference = reference;
    return 0;
  }
  if (reference - state.reference <= float(variant.lazy) && variant.lazy > 0) return 1;
  if (state.max == state.frame_max) return 1;
  const bool by_difference = variant.difference || variant.fault == Fault::mixes_frames ||
                             std::fabs(reference) >= 0x1p22f ||
                             std::fabs(state.reference) >= 0x1p22f;
  const float factor = by_difference ? arithmetic.exp2((state.frame_max - state.max) * c)
                                     : arithmetic.exp2(state.reference - reference);
  state.frame_max = state.max;
  state.reference = reference;
  return factor;
}

inline void add_tile(const Row& row, const std::vector<float>& scores, int64_t first, int64_t last,
                     float c, const Variant& variant, State& state, Arithmetic& arithmetic) {
  for (int64_t j = first; j < last; ++j) state.max = std::max(state.max, scores[size_t(j)]);
  const float factor = follow(state, c, variant, arithmetic);
  if (factor != 1) {
    for (float& sum : state.sums)
      if (factor == 0 || variant.fault != Fault::omits_rescale_of_sum) sum *= factor;
    for (float& o : state.o)
      if (factor == 0 || variant.fault != Fault::omits_rescale_of_output) o *= factor;
  }
  std::vector<float> p;
  for (int64_t j = first; j < last; ++j) {
    const float w = weight(scores[size_t(j)], c, state, variant, arithmetic);
    p.push_back(cast(w, variant.dtype));
    float& sum = state.sums[size_t((j - first) % variant.lanes)];
    sum += variant.fault == Fault::sum_of_rounded_weights_in_16_bit ? p.back() : w;
  }
  std::vector<float> column(p.size());
  for (size_t x = 0; x < state.o.size(); ++x) {
    for (int64_t j = first; j < last; ++j) column[size_t(j - first)] = row.v[size_t(j)][x];
    state.o[x] = arithmetic.multiply_add(p, column, state.o[x]);
  }
}

inline float tree_sum(std::vector<float> sums) {
  for (size_t width = sums.size(); width > 1; width = (width + 1) / 2)
    for (size_t i = 0; i < width / 2; ++i) sums[i] += sums[width - 1 - i];
  return sums[0];
}

inline Result attention(const Row& row, const Variant& variant, uint64_t seed) {
  Arithmetic arithmetic(variant, seed);
  std::vector<float> scores;
  for (const auto& k : row.k) scores.push_back(arithmetic.multiply_add(row.q, k, 0.0f));
  float scale = row.scale;
  if (variant.fault == Fault::scale_squared) scale *= scale;
  if (variant.scaled_first || scale < 0) {  // a negative scale moves into the scores
    for (float& s : scores) s *= scale;
    scale = 1;
  }
  const float c = variant.fault == Fault::exp_without_log2e ? scale : scale * 1.44269504f;
  const int64_t keys = int64_t(scores.size()) - (variant.fault == Fault::drops_last_key);
  State state;
  state.sums.assign(size_t(variant.lanes), 0.0f);
  state.o.assign(row.v[0].size(), 0.0f);
  const int64_t tiles = ceil_div(keys, variant.tile);
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t at = variant.backward ? tiles - 1 - t : t;
    const bool skips = variant.fault == Fault::drops_first_of_second_tile && at == 1;
    const int64_t first = at * variant.tile + skips, last = std::min(keys, (at + 1) * variant.tile);
    if (first < last) add_tile(row, scores, first, last, c, variant, state, arithmetic);
  }
  const float sum = tree_sum(state.sums);
  Result result;
  const float inverse = 1 / sum;
  if (variant.normalised) {  // one tile: the weights again, divided before the cast
    std::vector<float> p, column(size_t(keys), 0.0f);
    for (int64_t j = 0; j < keys; ++j)
      p.push_back(
          cast(weight(scores[size_t(j)], c, state, variant, arithmetic) * inverse, variant.dtype));
    for (size_t x = 0; x < state.o.size(); ++x) {
      for (int64_t j = 0; j < keys; ++j) column[size_t(j)] = row.v[size_t(j)][x];
      state.o[x] = arithmetic.multiply_add(p, column, 0.0f);
    }
  }
  for (const float o : state.o)
    result.o.push_back(cast(variant.normalised ? o : o * inverse, variant.dtype));
  const float log2_sum = state.reference + arithmetic.log2(sum);
  result.lse = double(variant.fault == Fault::lse_in_base_2 ? log2_sum : log2_sum * 0.693147181f);
  return result;
}

// y of one softmax row; lanes and tiles as in the profile.
inline std::vector<double> softmax(const std::vector<float>& x, const Variant& variant,
                                   uint64_t seed) {
  Arithmetic arithmetic(variant, seed);
  constexpr float log2_e = 1.44269504f;
  const float c = variant.fault == Fault::exp_without_log2e ? 1.0f : log2_e;
  const int64_t keys = int64_t(x.size()) - (variant.fault == Fault::drops_last_key);
  State state;
  state.sums.assign(size_t(variant.lanes), 0.0f);
  const Row nothing = {{}, {}, {}, 1};
  const int64_t tiles = ceil_div(keys, variant.tile);
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t first = (variant.backward ? tiles - 1 - t : t) * variant.tile;
    add_tile(nothing, x, first, std::min(keys, first + variant.tile), c, variant, state,
             arithmetic);
  }
  const float sum = tree_sum(state.sums), inverse = 1 / sum;
  std::vector<double> y;
  for (const float value : x)
    y.push_back(
        double(cast(weight(value, c, state, variant, arithmetic) * inverse, variant.dtype)));
  return y;
}

}  // namespace oddtile::oracles::emulation
