// Online softmax over tiles of scores that lie in accumulators: running maximum, running sum, and
// the rescaling of a partial output. Mathematics in kernels/attention/README.md.
#pragma once

#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/tile_product.cuh"

namespace oddtile::ODDTILE_MACHINE {

// State of the rows that a lane holds: of each fragment, rows lane/4 and lane/4 + 8. The four lanes
// of a row agree on its frame; each keeps the sum of the weights in its own columns.
template <int fragments>
struct OnlineRows {
  RowFrame frame[fragments][2];
  float sum[fragments][2];

  ODDTILE_DEVICE void clear() {
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      frame[f][0] = frame[f][1] = RowFrame();
      sum[f][0] = sum[f][1] = 0.0f;
    }
  }

  // Turns the scores of one more tile (-inf where hidden) into weights, in place, and moves sums
  // and output into the new frame.
  template <int keys, int columns>
  ODDTILE_DEVICE void add_tile(Accumulator<fragments, keys>& scores,
                               Accumulator<fragments, columns>& output, float c) {
    float subtract[fragments][2];
    float factor[fragments][2];
    follow_maximum(scores, subtract, factor, c);
    bool moved = false;
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      ODDTILE_UNROLL
      for (int half = 0; half < 2; ++half) {
        float tile_sum = 0.0f;
        ODDTILE_UNROLL
        for (int n = 0; n < keys / 8; ++n) {
          ODDTILE_UNROLL
          for (int i = 2 * half; i < 2 * half + 2; ++i) {
            float& score = scores.at[f][n][i];
            score = exp2_approx(fma(score, c, -subtract[f][half]));
            tile_sum += score;
          }
        }
        sum[f][half] = fma(sum[f][half], factor[f][half], tile_sum);
        moved = moved || factor[f][half] != 1.0f;
      }
    }
    if (vote_any(moved)) rescale(output, factor);  // after the first tiles most maxima stay
  }

  // The whole row's sum, from its four lanes.
  ODDTILE_DEVICE float row_sum(int f, int half) const {
    const float pair = sum[f][half] + shuffle_xor(sum[f][half], 1);
    return pair + shuffle_xor(pair, 2);
  }

 private:
  template <int columns>
  ODDTILE_DEVICE static void rescale(Accumulator<fragments, columns>& output,
                                     const float (&factor)[fragments][2]) {
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      ODDTILE_UNROLL
      for (int n = 0; n < columns / 8; ++n) {
        ODDTILE_UNROLL
        for (int i = 0; i < 4; ++i) output.at[f][n][i] *= factor[f][i / 2];
      }
    }
  }

  template <int blocks>
  ODDTILE_DEVICE static float new_maximum(const float (&scores)[blocks][4], int half, float old) {
    float result = old;
    ODDTILE_UNROLL
    for (int n = 0; n < blocks; ++n) {
      result = maximum(result, maximum(scores[n][2 * half], scores[n][2 * half + 1]));
    }
    result = maximum(result, shuffle_xor(result, 1));
    return maximum(result, shuffle_xor(result, 2));
  }

  // Moves every row's frame to the maximum of the tile; says what the fused form subtracts and the
  // factor from the old frame to the new.
  template <int keys>
  ODDTILE_DEVICE void follow_maximum(Accumulator<fragments, keys>& scores,
                                     float (&subtract)[fragments][2], float (&factor)[fragments][2],
                                     float c) {
    RowFrame old[fragments][2];
    bool difference = false;
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      ODDTILE_UNROLL
      for (int half = 0; half < 2; ++half) {
        RowFrame& now = frame[f][half];
        old[f][half] = now;
        now = frame_at(new_maximum(scores.at[f], half, now.max), c);
        subtract[f][half] = subtrahend(now);
        factor[f][half] = exp2_approx(old[f][half].reference - subtract[f][half]);
        difference = difference || takes_difference(now) || takes_difference(old[f][half]);
      }
    }
    // One vote per tile keeps the rare form out of the common path.
    if (!vote_any(difference)) return;
    ODDTILE_UNROLL
    for (int f = 0; f < fragments; ++f) {
      ODDTILE_UNROLL
      for (int half = 0; half < 2; ++half) {
        factor[f][half] = rescale_factor(old[f][half], frame[f][half], c);
        if (!takes_difference(frame[f][half])) continue;
        subtract[f][half] = 0.0f;  // fma(s - max, c, -0) is the difference form
        ODDTILE_UNROLL
        for (int n = 0; n < keys / 8; ++n) {
          scores.at[f][n][2 * half] -= frame[f][half].max;
          scores.at[f][n][2 * half + 1] -= frame[f][half].max;
        }
      }
    }
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
