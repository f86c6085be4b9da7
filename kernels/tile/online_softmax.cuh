// The frame of a softmax row: which number is subtracted before the exponential.
//
// A row keeps ONE frame: the rounded product M = fl(max * c), c = scale * log2(e), serves the
// weights exp2(fma(s, c, -M)), the rescale factors exp2(M_old - M_new) and the logarithm of the sum
// (M + log2 sum) * ln 2. The rounding of M then cancels everywhere. Mixing it with unrounded maxima
// leaves the error bound by 2.8x at scores of -200.
//
// From |M| = 2^22 on the fused multiply-add itself loses the difference: its rounding error reaches
// a quarter. Such rows take (s - max) * c instead, and a factor that crosses from one form to the
// other uses the form of each side. c is positive (attention moves a negative scale into the
// scores).
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr float kLog2E = 1.44269504088896340736f;
inline constexpr float kLn2 = 0.69314718055994530942f;
inline constexpr float kNegativeInfinity = -__builtin_huge_valf();
inline constexpr float kDifferenceFrom = 4194304.0f;  // 2^22

struct RowFrame {
  float max = kNegativeInfinity;        // of the visible scores so far; -inf: none above -inf
  float reference = kNegativeInfinity;  // fl(max * c)
};

ODDTILE_DEVICE RowFrame frame_at(float max, float c) {
  return {max, max * c};
}

// Whether weights of this row are exp2((s - max) * c). An infinite maximum takes this path too.
ODDTILE_DEVICE bool takes_difference(const RowFrame& frame) {
  return magnitude(frame.reference) >= kDifferenceFrom && frame.max != kNegativeInfinity;
}

// What the fused form subtracts: 0 for a row without scores above -inf, so that exp2(-inf - 0) = 0.
ODDTILE_DEVICE float subtrahend(const RowFrame& frame) {
  return frame.max == kNegativeInfinity ? 0.0f : frame.reference;
}

// The weight of score s (-inf where hidden) in this frame; `difference` = takes_difference(frame).
ODDTILE_DEVICE float weight_in(const RowFrame& frame, float s, float c, bool difference) {
  return exp2_approx(difference ? (s - frame.max) * c : fma(s, c, -subtrahend(frame)));
}

// The factor that moves sums made in frame `old` to frame `now` (now.max >= old.max).
ODDTILE_DEVICE float rescale_factor(const RowFrame& old, const RowFrame& now, float c) {
  if (old.max == kNegativeInfinity) return 0.0f;  // nothing was accumulated
  const bool old_difference = takes_difference(old);
  const bool now_difference = takes_difference(now);
  if (old_difference && now_difference) return exp2_approx((old.max - now.max) * c);
  if (old_difference) return exp2_approx(fma(old.max, c, -now.reference));
  if (now_difference) return exp2_approx(-fma(now.max, c, -old.reference));
  return exp2_approx(old.reference - now.reference);
}

// Natural logarithm of sum * exp2(frame); the caller answers for sum == 0.
ODDTILE_DEVICE float log_sum(const RowFrame& frame, float sum) {
  return (frame.reference + log2_approx(sum)) * kLn2;
}

}  // namespace oddtile::ODDTILE_MACHINE
