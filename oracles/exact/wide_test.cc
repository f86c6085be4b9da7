// Double against 50 digits, in the terms of the table in README.md: the errors of double are far
// below what the bounds allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "kernels/base/random.h"
#include "oracles/exact/attention.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles {
namespace {

// Largest relative difference of weights, over 13 u + 5 u |s - m| + u A: what a bound allows.
TEST(Precisions, DifferByLessThanTwoToTheMinus25OfAnyBound) {
  Random random(5);
  double worst = 0;
  AttentionRow narrow, wide;
  for (int round = 0; round < 60; ++round) {
    KeysAndValues kv;
    kv.keys = random.between(1, 200);
    kv.head_dim = random.between(1, 64);
    const double size = std::ldexp(1.0, int(random.below(12)) - 4);
    std::vector<double> q;
    std::vector<int64_t> visible;
    for (int64_t x = 0; x < kv.head_dim; ++x) q.push_back(float(size * random.normal()));
    for (int64_t j = 0; j < kv.keys; ++j) {
      visible.push_back(j);
      for (int64_t x = 0; x < kv.head_dim; ++x) {
        kv.k.push_back(float(random.normal()));
        kv.v.push_back(float(random.normal()));
      }
    }
    attention_row(kv, q, 0.125, visible, Precision::standard, narrow);
    attention_row(kv, q, 0.125, visible, Precision::wide, wide);
    for (size_t j = 0; j < wide.keys.size(); ++j) {
      if (wide.weight[j] < 1e-300) continue;
      const double allowed = 0x1p-24 * (13 - 5 * wide.offset[j] +
                                        std::max(1.0, double(kv.head_dim) / 16) *
                                            (wide.magnitude[j] + std::fabs(wide.max)));
      worst = std::max(worst, std::fabs(narrow.weight[j] / wide.weight[j] - 1) / allowed);
    }
    const double lse = 0x1p-24 * (13 + 5 * std::fabs(wide.max));
    worst = std::max(worst, std::fabs(narrow.lse - wide.lse) / lse);
  }
  std::printf("double against 50 digits: at most 2^%.1f of what a bound allows\n",
              std::log2(worst));
  EXPECT_LT(worst, 0x1p-25);
}

TEST(Precisions, TheSumDoesNotLoseWithLength) {
  std::vector<double> x(1 << 15);
  Random random(6);
  for (double& value : x) value = float(random.normal());
  SoftmaxRow narrow, wide;
  softmax_row(x, nullptr, Precision::standard, narrow);
  softmax_row(x, nullptr, Precision::wide, wide);
  EXPECT_LT(std::fabs(narrow.sum / wide.sum - 1), 4 * 0x1p-53);
}

}  // namespace
}  // namespace oddtile::oracles
