// Where double cannot tell, 50 digits do.
#include "oracles/judge/attention_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

// A profile whose bound of the row's LSE is `wanted`: log2_error moves it, at most to 2^-20.
struct TunedLse {
  const KeysAndValues& kv;
  const AttentionRow& exact;
  oddtile_profile profile;
  double scale = 0;

  double bound(double log2_error) {
    AttentionBound result;
    profile.log2_error = log2_error;
    bound_attention(exact, kv, scale, profile, oddtile_fp16, result);
    return result.lse;
  }
  double base() { return bound(0); }
  double slope() { return (bound(0x1p-20) - bound(0)) / 0x1p-20; }
  void tune(double wanted) { profile.log2_error = (wanted - base()) / slope(); }
};

// A bound put 2^-26 above and below an error is within double's uncertainty, one 2^-15 away is not.
TEST(AttentionRowJudge, EscalatesNearTheLine) {
  const Workload workload =
      made("attention seq_q=1 seq_k=40 head_dim=8 scores=noise contents=noise");
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  oracle.row(kv, 0, 0, 0, Precision::wide, row);
  TunedLse tuned{kv, row, fused_profile(c.dtype), c.scale};
  Outputs outputs = exact_outputs(workload);
  const int64_t index = workload.find(Role::lse)->index(0, 0, 0, 0);
  put(outputs, workload, Role::lse, index, row.lse + tuned.bound(0x1p-21));
  const double error = std::fabs(get(outputs, workload, Role::lse, index) - row.lse);
  for (const double distance : {-0x1p-26, 0x1p-26, -0x1p-15, 0x1p-15}) {
    tuned.tune(error * (1 + distance));
    const Judgement judgement = judge(workload, outputs, tuned.profile);
    EXPECT_EQ(judgement.escalated, std::fabs(distance) < 0x1p-20 ? 8 : 0) << distance;
    EXPECT_EQ(judgement.verdict == Verdict::fail, distance < 0) << judgement.explanation;
  }
}

// The bound between the two errors that double and 50 digits see: double alone would be wrong.
TEST(AttentionRowJudge, DecidesWhereDoubleWouldMisjudge) {
  int wrong = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const Workload workload =
        made("attention seq_q=1 seq_k=60 head_dim=16 scores=noise contents=noise seed=" +
             std::to_string(seed));
    const auto& c = std::get<AttentionCase>(workload.subject.problem);
    const AttentionOracle oracle(workload);
    const KeysAndValues kv = oracle.load(0, 0);
    AttentionRow in_double, exact;
    oracle.row(kv, 0, 0, 0, Precision::standard, in_double);
    oracle.row(kv, 0, 0, 0, Precision::wide, exact);
    TunedLse tuned{kv, exact, fused_profile(c.dtype), c.scale};
    Outputs outputs = exact_outputs(workload);
    const int64_t index = workload.find(Role::lse)->index(0, 0, 0, 0);
    put(outputs, workload, Role::lse, index, exact.lse + tuned.bound(0x1p-21));
    const double got = get(outputs, workload, Role::lse, index);
    const double error = std::fabs(got - exact.lse), seen = std::fabs(got - in_double.lse);
    tuned.tune((error + seen) / 2);
    const double bound = tuned.bound(tuned.profile.log2_error);
    if ((error <= bound) == (seen <= bound)) continue;  // both see the same
    ++wrong;
    const Judgement judgement = judge(workload, outputs, tuned.profile);
    EXPECT_EQ(judgement.verdict == Verdict::fail, error > bound) << seed;
    EXPECT_EQ(judgement.escalated, c.head_dim) << seed;
  }
  std::printf("double alone would misjudge %d of 60 planted errors\n", wrong);
  EXPECT_GT(wrong, 5);
}

void set(Workload& workload, Role role, int64_t index, float value) {
  Tensor& tensor = workload.tensors[size_t(workload.index_of(role))];
  const uint16_t bits = float_to_bfloat16(value).bits;
  std::memcpy(tensor.bytes.data() + index * 2, &bits, 2);
}

// Scores that cancel by more than double holds: sums in another order give other scores.
TEST(AttentionRowJudge, EscalatesWhatDoubleCannotHold) {
  Workload workload = made("attention seq_q=1 seq_k=2 head_dim=16 scores=zeros dtype=bf16 scale=1");
  const Tensor &q = *workload.find(Role::q), &k = *workload.find(Role::k);
  const float huge = 0x1p40f;
  const float query[] = {huge, 1, huge}, first[] = {huge, 3, -huge}, second[] = {huge, 0, -huge};
  for (int64_t x = 0; x < 3; ++x) {
    set(workload, Role::q, q.index(0, 0, 0, x), query[x]);
    set(workload, Role::k, k.index(0, 0, 0, x), first[x]);
    set(workload, Role::k, k.index(0, 0, 1, x), second[x]);
  }
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  oracle.row(kv, 0, 0, 0, Precision::standard, row);
  EXPECT_GT(row.errors.weight, 1);
  oracle.row(kv, 0, 0, 0, Precision::wide, row);
  EXPECT_EQ(row.max, 3);
  EXPECT_EQ(row.offset[1], -3);
  const Judgement judgement = judged(workload, exact_outputs(workload));
  EXPECT_EQ(judgement.escalated, 16);
  EXPECT_EQ(judgement.quantities[1].exact, row.lse);
}

}  // namespace
}  // namespace oddtile::oracles
