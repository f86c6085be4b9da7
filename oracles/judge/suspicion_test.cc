#include "oracles/judge/suspicion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

// Enough rows and keys to mean something; V of one sign, so that a bias of P is one of O.
const char* const kLong = "attention seq_q=600 seq_k=1000 head_dim=16 scores=noise contents=large";

// O shrunk by `share` u_P of itself, then rounded: on average what rounding P toward zero does at
// share ln 2.
Judgement shrunk(const Workload& workload, double share) {
  Outputs outputs = exact_outputs(workload);
  const Tensor& o = *workload.find(Role::o);
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  for (int64_t i = 0; i < o.sizes[2]; ++i) {
    oracle.row(kv, 0, 0, i, Precision::standard, row);
    for (int64_t x = 0; x < o.sizes[3]; ++x)
      put(outputs, workload, Role::o, o.index(0, 0, i, x),
          row.o[size_t(x)] * (1 - share * 0x1p-11));
  }
  return judged(workload, outputs);
}

TEST(Suspicion, SeesABiasWithinTheBoundAndItsSign) {
  const Workload workload = made(kLong);
  const Judgement right = judged(workload, exact_outputs(workload));
  EXPECT_NE(right.verdict, Verdict::suspect) << right.explanation;
  EXPECT_NE(right.verdict, Verdict::fail) << right.explanation;
  EXPECT_EQ(right.suspicion.rows, 9);
  EXPECT_GT(right.suspicion.worst_ratio, 0);
  const Judgement wrong = shrunk(workload, 0.8);
  EXPECT_EQ(wrong.verdict, Verdict::suspect) << wrong.explanation;
  EXPECT_EQ(wrong.quantities[0].failed, 0);
  EXPECT_LT(wrong.suspicion.z_o, -6);
  EXPECT_EQ(wrong.explanation.find("suspect: o[batch 0, head 0, query "), 0u) << wrong.explanation;
  EXPECT_NE(wrong.explanation.find("law statistical_form"), std::string::npos);
  EXPECT_NE(wrong.explanation.find("errors of o (away from 0) have a sign"), std::string::npos)
      << wrong.explanation;
  fmt::print("{}", wrong.explanation);
}

// What is outside the rigorous bound fails; it does not become suspect.
TEST(Suspicion, FailureComesFirst) {
  const Judgement broken = shrunk(made(kLong), 100);
  EXPECT_EQ(broken.verdict, Verdict::fail);
  EXPECT_EQ(broken.explanation.find("suspect"), std::string::npos);
}

TEST(Suspicion, LooksAtNothingWhereThereIsTooLittle) {
  for (const char* text : {"attention seq_q=600 seq_k=127", "attention seq_q=127 seq_k=300",
                           "softmax rows=500 columns=300", "vector_add n=9000",
                           "attention seq_q=600 seq_k=300 band_high=0 band_low=-9",
                           "attention seq_q=600 seq_k=300 mask=nothing"}) {
    const Workload workload = made(text);
    EXPECT_EQ(judged(workload, exact_outputs(workload)).suspicion.elements, 0) << text;
  }
  EXPECT_EQ(suspicion_rows(127), 0);
  EXPECT_EQ(suspicion_rows(128), 2);
  EXPECT_EQ(suspicion_rows(1'000'000), 64);
}

TEST(Suspicion, CostsLittle) {
  using Clock = std::chrono::steady_clock;
  const Workload workload = made(kLong);
  const Outputs outputs = exact_outputs(workload);
  const oddtile_profile profile = fused_profile(oddtile_fp16);
  const Sampling sampling;
  const Evidence evidence = {workload, outputs, profile, sampling};
  double least_share = 1;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    judge(workload, outputs, profile);
    const auto middle = Clock::now();
    suspect(evidence);
    const double all = std::chrono::duration<double>(middle - start).count();
    const double own = std::chrono::duration<double>(Clock::now() - middle).count();
    least_share = std::min(least_share, own / all);
  }
  fmt::print("the statistical form takes {:.1f} % of judging\n", 100 * least_share);
}

}  // namespace
}  // namespace oddtile::oracles
