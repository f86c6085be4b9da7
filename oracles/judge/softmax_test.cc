#include "oracles/bounds/softmax.h"

#include <gtest/gtest.h>

#include "oracles/bounds/rounding.h"
#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

TEST(Judge, IsSharpForSoftmax) {
  for (const char* dtype : {"fp32", "fp16", "bf16"}) {
    const Workload workload =
        made(std::string("softmax rows=2 columns=50 values=noise dtype=") + dtype);
    const oddtile_dtype type = std::get<SoftmaxCase>(workload.subject.problem).dtype;
    const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
    std::vector<double> values(50);
    read_row(stored_bytes(workload, x), x, 0, 0, 1, values.data());
    SoftmaxRow row;
    SoftmaxBound bound;
    softmax_row(values, nullptr, Precision::wide, row);
    bound_softmax(row, fused_profile(type), type, bound);
    for (const size_t c : {size_t(0), size_t(17), size_t(49)})
      for (const bool up : {false, true})
        EXPECT_EQ("", not_sharp(workload, Role::y, y.index(0, 0, 1, int64_t(c)), row.weight[c],
                                bound.error[c], up));
  }
}

TEST(Judge, NetsTheOutputsRoundingOfSoftmax) {
  const Workload workload = made("softmax rows=1 columns=300 values=noise dtype=fp32");
  const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
  std::vector<double> values(300);
  read_row(stored_bytes(workload, x), x, 0, 0, 0, values.data());
  SoftmaxRow row;
  SoftmaxBound bound;
  softmax_row(values, nullptr, Precision::wide, row);
  bound_softmax(row, fused_profile(oddtile_fp32), oddtile_fp32, bound);
  Outputs outputs = exact_outputs(workload);
  EXPECT_LT(judged(workload, outputs).quantities[0].worst_net[2], 0.01);
  const double rounding = kU * row.weight[5], rest = bound.error[5] - rounding;
  put(outputs, workload, Role::y, y.index(0, 0, 0, 5), row.weight[5] + rounding + rest / 2);
  const Quantity judged_y = judged(workload, outputs).quantities[0];
  EXPECT_LT(std::fabs(judged_y.worst_net[2] - 0.5), 0.1);
  EXPECT_EQ(judged_y.worst_net[0], 0);
  EXPECT_EQ(judged_y.worst_net[1], 0);
  EXPECT_EQ(judged_y.net_drawn, (std::array{false, false, true}));
}

TEST(Judge, MaskedColumnsArePlusZero) {
  const Workload softmax = made("softmax rows=1 columns=3 values=noise mask=first");
  const Tensor& y = *softmax.find(Role::y);
  const Tensor& mask = *softmax.find(Role::mask);
  int64_t hidden = 0;
  while (read_at<uint8_t>(stored_bytes(softmax, mask), mask.index(0, 0, 0, hidden)) != 0) ++hidden;
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), 0.0), Verdict::pass);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), -0.0), Verdict::fail);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), 1e-40), Verdict::fail);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), NAN), Verdict::fail);
}

// Its rounding hides the errors of a 16-bit output, but a bound was there.
TEST(Judge, SaysThatAHiddenShareOfSoftmaxIsDrawn) {
  const Workload workload = made("softmax rows=3 columns=40 values=noise dtype=bf16");
  const Quantity y = judged(workload, exact_outputs(workload)).quantities[0];
  EXPECT_EQ(y.worst_net[1], 0);
  EXPECT_EQ(y.net_drawn, (std::array{false, true, false}));
}

}  // namespace
}  // namespace oddtile::oracles
