// For tests and searches: one row of attention and of softmax in plain C++ with fp32 arithmetic,
// right or wrong as emulation.h's Variant says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "oracles/bounds/emulation.h"

namespace oddtile::oracles::emulation {

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
