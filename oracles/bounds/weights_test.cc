#include "oracles/bounds/weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// Two equal scores: every term of E by hand.
TEST(Weights, ByHand) {
  const double offset[] = {0, -2}, magnitude[] = {3, 3};
  const double w = std::exp(-2.0), weight[] = {1 / (1 + w), w / (1 + w)};
  oddtile_profile profile = {};
  profile.exp2_error = 4 * kU;
  WeightRow row;
  row.offset = offset;
  row.weight = weight;
  row.sum = 1 + w;
  row.max = 1;
  row.depth = 2;
  WeightBound bound;
  bound_weights(row, profile, bound);
  // Softmax: (R + 1)(eps + u) + 8 u, and 5 u |s - m|.
  EXPECT_DOUBLE_EQ(bound.log_error[0], (4 + 1 + 8) * kU);
  EXPECT_DOUBLE_EQ(bound.log_error[1], (4 + 1 + 8 + 10) * kU);
  const double error = weight[1] * std::expm1(23 * kU);  // bounded from above by a short series
  EXPECT_GE(bound.error[1], error);
  EXPECT_LE(bound.error[1], error * (1 + 1e-9));
  EXPECT_DOUBLE_EQ(bound.sum, bound.error[0] + bound.error[1]);
  EXPECT_DOUBLE_EQ(bound.sum_error, 2 * kU / (1 - 2 * kU));
  // Attention: kappa u A and u |s| besides.
  row.magnitude = magnitude;
  row.head_dim = 10;
  bound_weights(row, profile, bound);
  EXPECT_DOUBLE_EQ(bound.log_error[0], (13 + 1) * kU + sum_error(10) * 3);
  EXPECT_DOUBLE_EQ(bound.log_error[1], (13 + 10 + 1) * kU + sum_error(10) * 3);
  // Rescales, a lazy frame, mixed frames.
  row.magnitude = {};
  row.events = 3;
  row.largest_frame = 7;
  profile.lazy_threshold_log2 = 8;
  profile.extra_frame_u = 1;
  bound_weights(row, profile, bound);
  EXPECT_DOUBLE_EQ(bound.log_error[0],
                   (4 * 5 + 8) * kU + 3 * kU * 8 * std::log(2) + kU * 3 * 2 * 7);
}

TEST(Weights, NothingIsNanAtTheExtremes) {
  const double offset[] = {0, -1e38, -5}, weight[] = {0.99, 0, 0.01}, magnitude[] = {1e37, 1, 1e30};
  WeightRow row;
  row.offset = offset;
  row.weight = weight;
  row.magnitude = magnitude;
  row.head_dim = 64;
  row.sum = 1.01;
  row.scale = 1;
  WeightBound bound;
  bound_weights(row, oddtile_profile(), bound);
  for (const double error : bound.error) EXPECT_GE(error, 0);
  EXPECT_FALSE(bound.loss < 0.5);
  EXPECT_FALSE(std::isnan(bound.loss));
}

}  // namespace
}  // namespace oddtile::oracles
