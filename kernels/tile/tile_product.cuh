// Products of tiles on the matrix unit, mma.sync m16n8k16: a warp owns 16 * fragments rows.
//
// Layout of a 16x8 accumulator (PTX): lane l holds columns 2(l%4), 2(l%4)+1 of row l/4 in [0], [1]
// and of row l/4 + 8 in [2], [3]. Two accumulators side by side, converted to 16 bits, are the
// 16x16 left operand of the next product: so the weights P never leave the registers.
#pragma once

#include "kernels/tile/shared_tile.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <int fragments, int columns>
struct Accumulator {
  static constexpr int kBlocks = columns / 8;
  float at[fragments][kBlocks][4];

  // The same registers in the order in which wgmma numbers them.
  using Flat = float[fragments * kBlocks * 4];
  ODDTILE_DEVICE Flat& flat() { return reinterpret_cast<Flat&>(at); }

  ODDTILE_DEVICE void clear() {
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      ODDTILE_UNROLL
      for (int n = 0; n < kBlocks; ++n) {
        ODDTILE_UNROLL
        for (int i = 0; i < 4; ++i) at[f][n][i] = 0.0f;
      }
    }
  }
};

// The left operand of a product with `depth` columns, as mma wants it: 16x16 blocks in registers.
template <int fragments, int depth>
struct LeftOperand {
  uint32_t at[fragments][depth / 16][4];
};

// scores = Q K^T for the warp's rows (from `first_row` of the Q tile) and all keys of the K tile.
// Each fragment is loaded one product ahead of its use.
template <int fragments, int keys, class T, int q_rows, int columns>
ODDTILE_DEVICE void multiply_transposed(Accumulator<fragments, keys>& scores,
                                        const SharedTile<T, q_rows, columns>& q, int first_row,
                                        const SharedTile<T, keys, columns>& k) {
  constexpr int kPairs = keys / 16;  // ldmatrix brings two blocks of 8 keys at once
  constexpr int kSteps = columns / 16;
  uint32_t left[2][fragments][4];
  uint32_t right[2][4];
  const auto load_left = [&](int step) {
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      load_matrix_4(left[step % 2][f],
                    q.chunk(first_row + 16 * f + lane() % 16, 2 * step + lane() / 16));
    }
  };
  const auto load_right = [&](int product) {
    const int row = product % kPairs * 16 + lane() / 16 * 8 + lane() % 8;
    load_matrix_4(right[product % 2], k.chunk(row, product / kPairs * 2 + lane() / 8 % 2));
  };
  scores.clear();
  matrix_batch([&] {
    load_left(0);
    load_right(0);
    ODDTILE_UNROLL
    for (int product = 0; product < kSteps * kPairs; ++product) {
      const int step = product / kPairs;
      const int pair = product % kPairs;
      if (product + 1 < kSteps * kPairs) load_right(product + 1);
      if (pair == 0 && step + 1 < kSteps) load_left(step + 1);
      ODDTILE_UNROLL
      for (int f = 0; f < fragments; ++f) {
        mma_16x16x16<T>(scores.at[f][2 * pair], scores.at[f][2 * pair + 1], left[step % 2][f],
                        right[product % 2]);
      }
    }
  });
}

// output += P V.
template <int fragments, int keys, class T, int columns>
ODDTILE_DEVICE void multiply_accumulate(Accumulator<fragments, columns>& output,
                                        const LeftOperand<fragments, keys>& weights,
                                        const SharedTile<T, keys, columns>& v) {
  constexpr int kPairs = columns / 16;
  constexpr int kSteps = keys / 16;
  uint32_t right[2][4];
  const auto load_right = [&](int product) {
    const int row = product / kPairs * 16 + lane() % 16;
    load_matrix_4_transposed(right[product % 2], v.chunk(row, product % kPairs * 2 + lane() / 16));
  };
  matrix_batch([&] {
    load_right(0);
    ODDTILE_UNROLL
    for (int product = 0; product < kSteps * kPairs; ++product) {
      const int step = product / kPairs;
      const int pair = product % kPairs;
      if (product + 1 < kSteps * kPairs) load_right(product + 1);
      ODDTILE_UNROLL
      for (int f = 0; f < fragments; ++f) {
        mma_16x16x16<T>(output.at[f][2 * pair], output.at[f][2 * pair + 1], weights.at[f][step],
                        right[product % 2]);
      }
    }
  });
}

template <int fragments, int columns>
ODDTILE_DEVICE void multiply_scores(Accumulator<fragments, columns>& scores, float factor) {
  ODDTILE_UNROLL
  for (int f = 0; f < fragments; ++f) {
    ODDTILE_UNROLL
    for (int n = 0; n < columns / 8; ++n) {
      ODDTILE_UNROLL
      for (int i = 0; i < 4; ++i) scores.at[f][n][i] *= factor;
    }
  }
}

// The accumulators, rounded to T, as the left operand of the next product.
template <class T, int fragments, int columns>
ODDTILE_DEVICE LeftOperand<fragments, columns> rounded(
    const Accumulator<fragments, columns>& values) {
  LeftOperand<fragments, columns> operand;
  ODDTILE_UNROLL
  for (int f = 0; f < fragments; ++f) {
    ODDTILE_UNROLL
    for (int step = 0; step < columns / 16; ++step) {
      const auto& value = values.at[f];
      uint32_t(&to)[4] = operand.at[f][step];
      to[0] = pack<T>(value[2 * step][0], value[2 * step][1]);
      to[1] = pack<T>(value[2 * step][2], value[2 * step][3]);
      to[2] = pack<T>(value[2 * step + 1][0], value[2 * step + 1][1]);
      to[3] = pack<T>(value[2 * step + 1][2], value[2 * step + 1][3]);
    }
  }
  return operand;
}

}  // namespace oddtile::ODDTILE_MACHINE
