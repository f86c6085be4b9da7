// The frame at the sizes where it is hard: every pair of forms, empty rows, infinities.
#include "kernels/tile/online_softmax.cuh"

#include <gtest/gtest.h>

#include <cmath>

namespace oddtile::sim {
namespace {

constexpr float kInfinity = -kNegativeInfinity;

// weight(s) after moving from the frame of `from` to that of `to`, as an online kernel does, over
// the weight of `to` itself: the rounding of M is common to both and cancels, as it does in p = w /
// l.
double moved_weight(float s, float from, float to) {
  const RowFrame old = frame_at(from, kLog2E);
  const RowFrame now = frame_at(to, kLog2E);
  const float weight = weight_in(old, s, kLog2E, takes_difference(old));
  const float largest = weight_in(now, to, kLog2E, takes_difference(now));
  return double(weight) * rescale_factor(old, now, kLog2E) / largest;
}

TEST(Frame, rescaled_weights_equal_exp_of_the_difference_in_every_form) {
  const float kLimit = kDifferenceFrom / kLog2E;  // where the form changes
  int crossings = 0;
  for (const float from : {-1e10f, -4e6f, -kLimit - 1, -kLimit + 1, -6e4f, 0.0f, 100.0f, 6e4f,
                           kLimit - 1, kLimit + 1, 4e6f, 1e10f}) {
    for (const float above : {0.0f, 0.25f, 1.0f, 3.0f, 1024.0f}) {
      const float to = from + above;
      for (const float below : {0.0f, 0.5f, 2.0f}) {
        const float s = from - below;
        const double exact = std::exp(double(s) - double(to));
        // One exponential each way, and 5 u |s - m| for the arguments (E_j:
        // oracles/bounds/README.md).
        const double distance = std::fabs(double(s) - to);
        EXPECT_LE(std::fabs(moved_weight(s, from, to) - exact),
                  exact * (5 * 0x1p-24 * distance + 0x1p-20) + 0x1p-126)
            << s << " from " << from << " to " << to;
      }
      crossings +=
          takes_difference(frame_at(from, kLog2E)) != takes_difference(frame_at(to, kLog2E));
    }
  }
  EXPECT_GT(crossings, 0) << "no pair crossed from one form to the other";
}

TEST(Frame, a_row_without_scores_contributes_nothing) {
  const RowFrame empty;
  EXPECT_FALSE(takes_difference(empty));
  EXPECT_EQ(weight_in(empty, kNegativeInfinity, kLog2E, false), 0.0f);
  for (const float max : {-1e10f, -200.0f, 0.0f, 200.0f}) {
    EXPECT_EQ(rescale_factor(empty, frame_at(max, kLog2E), kLog2E), 0.0f);
  }
  EXPECT_EQ(rescale_factor(empty, empty, kLog2E), 0.0f);
}

TEST(Frame, an_infinite_maximum_makes_the_row_nan) {
  const RowFrame infinite = frame_at(kInfinity, kLog2E);
  EXPECT_TRUE(takes_difference(infinite));
  EXPECT_TRUE(std::isnan(weight_in(infinite, kInfinity, kLog2E, true)));
  EXPECT_EQ(weight_in(infinite, 1.0f, kLog2E, true), 0.0f);
}

TEST(Frame, logarithm_of_the_sum) {
  for (const float max : {-6e4f, -200.0f, 0.0f, 88.0f, 1e7f}) {
    const double exact = double(max) + std::log(3.0);
    EXPECT_LE(std::fabs(log_sum(frame_at(max, kLog2E), 3.0f) - exact),
              8 * 0x1p-24 * std::fabs(exact) + 0x1p-20);
  }
}

}  // namespace
}  // namespace oddtile::sim
