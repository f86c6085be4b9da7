#include "oracles/bounds/softmax.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "oracles/bounds/emulated_kernels.h"

namespace oddtile::oracles {
namespace {

using emulation::Fault;
using emulation::random_variant;
using emulation::Variant;

TEST(SoftmaxBound, RightKernelsStayInsideAndWrongOnesDoNot) {
  Random random(3);
  double worst[3] = {0, 0, 0};
  std::map<Fault, int> caught;
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    Variant variant = random_variant(random);
    variant.normalised = false;
    variant.lazy = 0;
    variant.dtype = oddtile_dtype(random.below(3));
    const int64_t n = random.between(1, 400);
    const float centre = std::array{0.0f, -200.0f, -6e4f, 100.0f}[random.below(4)];
    const float step = random.below(3) == 0 ? 0.25f : 0.0f;
    std::vector<float> x;
    for (int64_t j = 0; j < n; ++j)
      x.push_back(
          emulation::cast(centre + float(random.normal()) * 3 + step * float(j), variant.dtype));
    SoftmaxRow exact;
    SoftmaxBound bound;
    softmax_row(std::vector<double>(x.begin(), x.end()), nullptr, Precision::standard, exact);
    bound_softmax(exact, variant.profile(), variant.dtype, bound);
    ASSERT_FALSE(bound.trivial);
    const auto share = [&] {
      const std::vector<double> y = emulation::softmax(x, variant, uint64_t(round));
      double most = 0;
      for (size_t c = 0; c < y.size(); ++c)
        most = std::max(most, std::fabs(y[c] - exact.weight[c]) / bound.error[c]);
      return most;
    };
    const double right = share();
    ASSERT_LE(right, 1) << "round " << round;
    worst[variant.dtype] = std::max(worst[variant.dtype], right);
    if (n < 2) continue;
    for (const Fault fault :
         {Fault::exp_without_log2e, Fault::omits_rescale_of_sum, Fault::mixes_frames}) {
      variant.fault = fault;
      caught[fault] += !(share() <= 1);
    }
  }
  fmt::print("worst share of softmax: fp32 {:.3f}, fp16 {:.3f}, bf16 {:.3f}\n", worst[0], worst[1],
             worst[2]);
  fmt::print("seen in {} rows: exp2 without log2 e {}, no rescale {}, mixed frames {}\n", rounds,
             caught[Fault::exp_without_log2e], caught[Fault::omits_rescale_of_sum],
             caught[Fault::mixes_frames]);
  EXPECT_GT(caught[Fault::exp_without_log2e], rounds / 2);
  EXPECT_GT(caught[Fault::omits_rescale_of_sum], rounds / 8);
  EXPECT_GT(caught[Fault::mixes_frames], rounds / 32);
}

}  // namespace
}  // namespace oddtile::oracles
