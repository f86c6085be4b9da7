// How the frame of an online softmax follows the running maximum (warpgroup_rows.cuh).
#pragma once

namespace oddtile {

struct FrameRule {
  // The frame stays while the maximum has risen by at most kLazyLog2 / c scores; weights then
  // exceed 1, and sums and output need no rescaling. Otherwise it is the maximum itself.
  bool lazy = false;
  // The running maximum by three-input integer instructions, on the bits of the scores: right
  // whenever it is not negative. Warps with a negative one take it again in floating point.
  bool by_integers = false;
};

inline constexpr float kLazyLog2 = 8.0f;  // a weight is at most 2^8

// What scores are measured by, from c = scale * log2(e) (positive).
struct FrameScale {
  float c;
  float slack;  // scores by which a maximum may pass a lazy frame: kLazyLog2 / c
  // Maxima below this take the common form. From twice as much on, the difference form is needed
  // (online_softmax.cuh); a frame beyond that leaves a factor of 0 to one within this in any form.
  float usual;
};

constexpr FrameScale frame_scale(float c) {
  return {c, kLazyLog2 / c, 2097152.0f / c};  // 2^21
}

}  // namespace oddtile
