// The form of the fused softmax for few rows of whole vectors: they leave most of a GPU idle, and
// what counts is how long one row takes.
//
// A row belongs to a block whose lanes have few elements each; nothing is asked that the launch
// knows, warps exchange through one barrier a reduction, and no instruction is fetched that a usual
// row does not need (README.md, "Few rows").
#pragma once

#include "kernels/tile/covered_row.cuh"
#include "kernels/tile/row_reduction.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct FewRows {
  Global<const T> x;
  Global<T> y;
  int64_t x_row_stride;
  int64_t y_row_stride;
  int32_t vectors;  // of a row
};

// The maximum of a warp's numbers, as integers in the same order. A NaN may win or lose: its weight
// is NaN either way.
ODDTILE_DEVICE float maximum_of_warp(float value) {
  const auto ordered = [](int32_t bits) { return bits ^ (bits >> 31 & 0x7FFFFFFF); };
  return std::bit_cast<float>(ordered(maximum_over_warp(ordered(std::bit_cast<int32_t>(value)))));
}

// Combines what each warp of the block has found. `exchange`: 32 floats of shared memory that
// nothing else uses.
template <class Operation, int warps>
ODDTILE_DEVICE float combine_warps(float of_warp, float* exchange) {
  if constexpr (warps == 1) return of_warp;
  if (lane() == 0) exchange[warp()] = of_warp;
  sync_block();
  // Every lane reads all of few; more would cost registers, and with them rows at a time.
  if constexpr (warps > 8) return reduce_lanes<Operation, warps>(exchange[lane() % warps]);
  float values[warps];
  ODDTILE_UNROLL
  for (int i = 0; i < warps; ++i) values[i] = exchange[i];
  return combine_all<Operation>(values);
}

// One row's vectors of a lane, `warps` * 32 apart.
template <class T, int width, int vectors>
struct FewVectors {
  using Vec = Packed<T, width>;
  Vec vector[vectors];
  float weight[vectors][width];

  ODDTILE_DEVICE float maximum_of_all() const {
    float of_vector[vectors];
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      if constexpr (sizeof(T) == 2) {
        uint32_t pair = vector[v].element[0];
        ODDTILE_UNROLL
        for (int i = 1; i < width / 2; ++i) pair = maximum_of_pairs<T>(pair, vector[v].element[i]);
        of_vector[v] = maximum(to_float(T{uint16_t(pair)}), to_float(T{uint16_t(pair >> 16)}));
      } else {
        float values[width];
        ODDTILE_UNROLL
        for (int i = 0; i < width; ++i) values[i] = unpack<T>(vector[v], i);
        of_vector[v] = combine_all<Maximum>(values);
      }
    }
    return combine_all<Maximum>(of_vector);
  }

  // The difference form at any maximum: a frame would save an instruction and cost a branch.
  ODDTILE_DEVICE float weigh(float max) {
    float of_vector[vectors];
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) {
        weight[v][i] = exp2_approx((to_float(unpack<T>(vector[v], i)) - max) * kLog2E);
      }
      of_vector[v] = combine_all<Sum>(weight[v]);
    }
    return combine_all<Sum>(of_vector);
  }
};

template <class T, int width, int warps, int vectors>
ODDTILE_KERNEL(32 * warps, 1)
softmax_of_few_rows(FewRows<T> p) {
  constexpr int kLanes = 32 * warps;
  const Global<const T> x = p.x + block() * p.x_row_stride;
  FewVectors<T, width, vectors> mine;
  ODDTILE_UNROLL
  for (int v = 0; v < vectors; ++v) {
    mine.vector[v] = CoveredRow<T, width, RowKind::whole, int32_t>::nothing();
    const int32_t at = thread() + kLanes * v;
    if (at < p.vectors) mine.vector[v] = load_as<Packed<T, width>>(x, at);
  }
  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const float max = combine_warps<Maximum, warps>(maximum_of_warp(mine.maximum_of_all()), exchange);
  const float sum =
      combine_warps<Sum, warps>(reduce_lanes<Sum, 32>(mine.weigh(max)), exchange + 32);
  const float scale = reciprocal(sum);  // NaN in the rows that are to become NaN

  const Global<T> y = p.y + block() * p.y_row_stride;
  ODDTILE_UNROLL
  for (int v = 0; v < vectors; ++v) {
    const int32_t at = thread() + kLanes * v;
    ODDTILE_UNROLL
    for (float& value : mine.weight[v]) value *= scale;
    if (at < p.vectors) store_as(y, at, pack_all<T>(mine.weight[v]));
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
