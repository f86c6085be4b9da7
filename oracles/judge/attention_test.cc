#include "oracles/bounds/attention.h"

#include <gtest/gtest.h>

#include "oracles/bounds/rounding.h"
#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

TEST(Judge, IsSharpForAttention) {
  for (const char* dtype : {"fp16", "bf16"}) {
    const Workload workload = made(
        std::string("attention seq_q=3 seq_k=40 head_dim=8 scores=noise contents=noise dtype=") +
        dtype);
    const auto& c = std::get<AttentionCase>(workload.subject.problem);
    const AttentionOracle oracle(workload);
    const KeysAndValues kv = oracle.load(0, 0);
    AttentionRow row;
    AttentionBound bound;
    oracle.row(kv, 0, 0, 2, Precision::wide, row);
    bound_attention(row, kv, c.scale, fused_profile(c.dtype), c.dtype, bound);
    for (const bool up : {false, true}) {
      EXPECT_EQ("", not_sharp(workload, Role::lse, workload.find(Role::lse)->index(0, 0, 0, 2),
                              row.lse, bound.lse, up));
      for (const int64_t x : {0, 7})
        EXPECT_EQ("", not_sharp(workload, Role::o, workload.find(Role::o)->index(0, 0, 2, x),
                                row.o[size_t(x)], bound.o[size_t(x)], up));
    }
  }
}

// An output that is wrong by the output's rounding and half of the rest uses half of it, net.
TEST(Judge, NetsTheOutputsRoundingOfAttention) {
  const Workload workload =
      made("attention seq_q=1 seq_k=40 head_dim=8 scores=noise contents=noise");
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  AttentionBound bound;
  oracle.row(kv, 0, 0, 0, Precision::wide, row);
  bound_attention(row, kv, c.scale, fused_profile(c.dtype), c.dtype, bound);
  Outputs outputs = exact_outputs(workload);
  EXPECT_LT(judged(workload, outputs).quantities[1].worst_net[1], 0.01);
  const double rounding = kU * std::fabs(row.lse);
  put(outputs, workload, Role::lse, workload.find(Role::lse)->index(0, 0, 0, 0),
      row.lse + rounding + (bound.lse - rounding) / 2);
  const Judgement judgement = judged(workload, outputs);
  EXPECT_LT(std::fabs(judgement.quantities[1].worst_net[1] - 0.5), 0.1);
  EXPECT_EQ(judgement.quantities[1].worst_net[0], 0);
  EXPECT_EQ(judgement.quantities[1].worst_net[2], 0);
  // O is exact but for its rounding, which hides the whole error.
  EXPECT_LT(judgement.quantities[0].worst_net[1], 0.01);
}

TEST(Judge, ClassesComeFirst) {
  const Workload attention =
      made("attention seq_q=17 seq_k=33 head_dim=24 heads_kv=2 group=3 batch=2 band_high=0");
  const Tensor &o = *attention.find(Role::o), &lse = *attention.find(Role::lse);
  for (const double wrong : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    EXPECT_EQ(after_planting(attention, Role::o, o.index(1, 5, 16, 23), wrong), Verdict::fail);
    EXPECT_EQ(after_planting(attention, Role::lse, lse.index(0, 1, 5, 16), wrong), Verdict::fail);
  }
  const Workload dead = made("attention seq_q=2 seq_k=3 band_high=-1");
  const Tensor &dead_o = *dead.find(Role::o), &dead_lse = *dead.find(Role::lse);
  EXPECT_EQ(after_planting(dead, Role::o, dead_o.index(0, 0, 0, 5), 0.0), Verdict::pass);
  EXPECT_EQ(after_planting(dead, Role::o, dead_o.index(0, 0, 0, 5), -0.0), Verdict::fail);
  EXPECT_EQ(after_planting(dead, Role::lse, dead_lse.index(0, 0, 0, 0), -1e38), Verdict::fail);
}

// V that is not finite: decided where the key is live; where it is hidden by the band, nothing is
// promised for that column, and the others are judged as ever.
TEST(Judge, HiddenNonFiniteValuesAreNotJudged) {
  const Workload workload =
      made("attention seq_q=2 seq_k=1 head_dim=16 band_high=-1 contents=specials seed=3");
  Outputs outputs = exact_outputs(workload);
  const Judgement clean = judged(workload, outputs);
  EXPECT_NE(clean.verdict, Verdict::fail) << clean.explanation;
  ASSERT_GT(clean.quantities[0].not_judged, 0);
  const Tensor& o = *workload.find(Role::o);
  int64_t free = 0;
  for (int64_t x = 0; x < 16; ++x)
    free += after_planting(workload, Role::o, o.index(0, 0, 0, x), NAN) != Verdict::fail;
  EXPECT_EQ(free, clean.quantities[0].not_judged);
}

}  // namespace
}  // namespace oddtile::oracles
