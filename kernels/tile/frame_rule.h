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

}  // namespace oddtile
