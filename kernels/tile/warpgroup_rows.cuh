// Online softmax over tiles of scores in a warpgroup's accumulators. The mathematics is that of
// online_rows.cuh; the partial output is rescaled by the caller, since it may still be in flight
// while the scores are weighed.
#pragma once

#include <bit>

#include "kernels/tile/frame_rule.h"
#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/tile_product.cuh"

namespace oddtile::ODDTILE_MACHINE {

// State of rows lane/4 and lane/4 + 8 of the warp's 16. The four lanes of a row agree on its frame;
// each keeps the sum of the weights in its own columns.
template <FrameRule rule>
struct WarpgroupRows {
  float max[2];  // whose frame_at is the row's frame
  float sum[2];

  ODDTILE_DEVICE void clear() {
    max[0] = max[1] = kNegativeInfinity;
    sum[0] = sum[1] = 0.0f;
  }

  // Turns the scores of one more tile (-inf where hidden) into weights, in place, and moves the
  // sums into the new frame; says by which factor outputs have to follow. `some_hidden`: not all of
  // them are seen, so that a lane may well hold none.
  template <int keys>
  ODDTILE_DEVICE void weigh(Accumulator<1, keys>& scores, bool some_hidden, float (&factor)[2],
                            const FrameScale& scale) {
    float subtract[2];
    follow_maximum(scores, some_hidden, subtract, factor, scale);
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      float part[2];
      ODDTILE_UNROLL
      for (int n = 0; n < keys / 8; ++n) {
        ODDTILE_UNROLL
        for (int i = 0; i < 2; ++i) {
          float& score = scores.at[0][n][2 * half + i];
          score = exp2_approx(fma(score, scale.c, -subtract[half]));
          part[i] = n == 0 ? score : part[i] + score;
        }
      }
      sum[half] = fma(sum[half], factor[half], part[0] + part[1]);
    }
  }

  // output *= factor, where some row of the warp needs it.
  template <int columns>
  ODDTILE_DEVICE static void rescale(Accumulator<1, columns>& output, const float (&factor)[2]) {
    if (!vote_any(factor[0] != 1.0f || factor[1] != 1.0f)) return;
    ODDTILE_UNROLL
    for (int n = 0; n < columns / 8; ++n) {
      ODDTILE_UNROLL
      for (int i = 0; i < 4; ++i) output.at[0][n][i] *= factor[i / 2];
    }
  }

  // The whole row's sum, from its four lanes.
  ODDTILE_DEVICE float row_sum(int half) const {
    const float pair = sum[half] + shuffle_xor(sum[half], 1);
    return pair + shuffle_xor(pair, 2);
  }

 private:
  // Over this lane's columns and what was there before.
  template <int keys>
  ODDTILE_DEVICE static float lane_maximum(const Accumulator<1, keys>& scores, int half,
                                           float before) {
    float result = before;
    ODDTILE_UNROLL
    for (int n = 0; n < keys / 8; ++n) {
      const float(&score)[4] = scores.at[0][n];
      result = maximum(result, maximum(score[2 * half], score[2 * half + 1]));
    }
    return result;
  }
  // The same on the bits: the result is right where its own bits are not negative. A NaN of
  // positive sign wins; the row becomes NaN either way.
  template <int keys>
  ODDTILE_DEVICE static int32_t lane_maximum_of_bits(const Accumulator<1, keys>& scores, int half,
                                                     float before) {
    int32_t result = std::bit_cast<int32_t>(before);
    ODDTILE_UNROLL
    for (int n = 0; n < keys / 8; ++n) {
      const float(&score)[4] = scores.at[0][n];
      result = maximum_of_3(result, std::bit_cast<int32_t>(score[2 * half]),
                            std::bit_cast<int32_t>(score[2 * half + 1]));
    }
    return result;
  }
  ODDTILE_DEVICE static float row_maximum(float of_lane) {
    const float pair = maximum(of_lane, shuffle_xor(of_lane, 1));
    return maximum(pair, shuffle_xor(pair, 2));
  }

  template <int keys>
  ODDTILE_DEVICE void follow_maximum(Accumulator<1, keys>& scores, bool some_hidden,
                                     float (&subtract)[2], float (&factor)[2],
                                     const FrameScale& scale) {
    const float old[2] = {max[0], max[1]};
    bool unusual = false;
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      float top;
      if constexpr (rule.by_integers) {
        const int32_t bits = lane_maximum_of_bits(scores, half, old[half]);
        top = row_maximum(std::bit_cast<float>(bits));
        // A lane's own maximum is known earlier; the row's is rarely negative.
        const uint32_t told_by = some_hidden ? std::bit_cast<uint32_t>(top) : uint32_t(bits);
        unusual = unusual || told_by >= std::bit_cast<uint32_t>(scale.usual);
      } else {
        top = row_maximum(lane_maximum(scores, half, old[half]));
        unusual = unusual || !(magnitude(top) < scale.usual);
      }
      if (rule.lazy) top = top <= old[half] + scale.slack ? old[half] : top;
      max[half] = top;
      subtract[half] = top * scale.c;
      factor[half] = exp2_approx(old[half] * scale.c - subtract[half]);
    }
    // One vote per tile keeps the rare forms out of the common path.
    if (vote_any(unusual)) follow_with_care(scores, old, subtract, factor, scale);
  }

  // Whether a row with this maximum takes the common form.
  ODDTILE_DEVICE static bool is_usual(float top, const FrameScale& scale) {
    if (!rule.by_integers) return magnitude(top) < scale.usual;
    return std::bit_cast<uint32_t>(top) < std::bit_cast<uint32_t>(scale.usual);
  }

  // The same where some row of the warp is unusual. A usual one gets the bits that it gets without
  // such neighbours; the others follow their maximum, in the difference form where the frame is
  // large (online_softmax.cuh).
  template <int keys>
  ODDTILE_DEVICE void follow_with_care(Accumulator<1, keys>& scores, const float (&old)[2],
                                       float (&subtract)[2], float (&factor)[2],
                                       const FrameScale& scale) {
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      float top = row_maximum(lane_maximum(scores, half, old[half]));
      if (rule.lazy && is_usual(top, scale) && top <= old[half] + scale.slack) top = old[half];
      max[half] = top;
      const RowFrame now = frame_at(top, scale.c);
      subtract[half] = subtrahend(now);
      factor[half] = rescale_factor(frame_at(old[half], scale.c), now, scale.c);
      if (!takes_difference(now)) continue;
      subtract[half] = 0.0f;  // fma(s - max, c, -0) is the difference form
      ODDTILE_UNROLL
      for (int n = 0; n < keys / 8; ++n) {
        scores.at[0][n][2 * half] -= now.max;
        scores.at[0][n][2 * half + 1] -= now.max;
      }
    }
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
