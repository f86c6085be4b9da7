#include <gtest/gtest.h>

#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

TEST(Judge, MaskedElementsOfVectorAddKeepTheirBits) {
  const Workload workload = made("vector_add n=64 values=noise mask=checkerboard");
  const Tensor &out = *workload.find(Role::out), &mask = *workload.find(Role::mask);
  for (int64_t i = 0; i < 2; ++i) {
    Outputs outputs = exact_outputs(workload);
    outputs[size_t(workload.index_of(Role::out))][size_t(out.index(0, 0, 0, i) * 4)] ^=
        std::byte(1);
    const Judgement judgement = judged(workload, outputs);
    EXPECT_EQ(judgement.verdict, Verdict::fail);
    const bool visible =
        read_at<uint8_t>(stored_bytes(workload, mask), mask.index(0, 0, 0, i)) != 0;
    EXPECT_NE(judgement.explanation.find(visible ? "exact_sum" : "masked_keeps_bits"),
              std::string::npos)
        << judgement.explanation;
  }
}

// Every pair of classes and signs: zeros keep their sign, NaN is a class.
TEST(Judge, VectorAddKnowsTheSignOfZero) {
  const Workload workload = made("vector_add n=3 values=zeros");
  const Tensor& out = *workload.find(Role::out);
  for (int64_t i = 0; i < 3; ++i) {
    Outputs outputs = exact_outputs(workload);
    const double exact = get(outputs, workload, Role::out, out.index(0, 0, 0, i));
    if (exact != 0) continue;
    put(outputs, workload, Role::out, out.index(0, 0, 0, i), -exact);
    EXPECT_EQ(judged(workload, outputs).verdict, Verdict::fail);
  }
}

}  // namespace
}  // namespace oddtile::oracles
