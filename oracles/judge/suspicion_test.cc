#include "oracles/judge/suspicion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "oracles/bounds/statistical.h"
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

// The worst element of the sample is what its row, taken alone, says of it: rows of blocks are not
// mixed up, and those that no block computes (here: V is not finite somewhere) are looked at too.
TEST(Suspicion, RowsOfBlocksAreTheRows) {
  for (const char* more : {" contents=noise", " contents=noise mask=half heads_kv=2 group=2",
                           " contents=specials band_high=0"}) {
    const Workload workload =
        made("attention seq_q=2048 seq_k=300 head_dim=16 scores=noise" + std::string(more));
    const auto& c = std::get<AttentionCase>(workload.subject.problem);
    const Outputs outputs = exact_outputs(workload);
    const Suspicion found = judged(workload, outputs).suspicion;
    ASSERT_GE(found.rows, 24) << more;
    ASSERT_EQ(found.role, Role::o) << more;
    const int64_t* at = found.worst_index;
    const AttentionOracle oracle(workload);
    const KeysAndValues kv = oracle.load(at[0], at[1] / c.group);
    AttentionRow row;
    oracle.row(kv, at[0], at[1], at[2], Precision::standard, row);
    AttentionBound rigorous;
    const oddtile_profile profile = fused_profile(c.dtype);
    bound_attention(row, kv, c.scale, profile, c.dtype, rigorous);
    const int64_t rows = suspicion_rows(c.batch * c.heads_q() * c.seq_q);
    StatisticalBound bound;
    statistical_bound(row, kv, profile, c.dtype, rigorous,
                      hoeffding_factor(rows * (c.head_dim + 1), 1e-9), bound);
    const Tensor& o = *workload.find(Role::o);
    const double got = get(outputs, workload, Role::o, o.index(at[0], at[1], at[2], at[3]));
    // Summed in another order: both differ from the exact value by double's own error.
    const size_t x = size_t(at[3]);
    const double own = 2 * uncertainty(row, rigorous).o;
    EXPECT_EQ(found.got, got) << more;
    EXPECT_LE(std::fabs(found.exact - row.o[x]), own * rigorous.o[x]) << more;
    EXPECT_LE(std::fabs(found.bound - bound.o[x]), own * bound.o[x]) << more;
  }
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
