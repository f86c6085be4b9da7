// The verdicts of whole cases; the parts' own tests plant errors in single elements.
#include "oracles/judge/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

const char* const kCases[] = {
    "vector_add n=1000 dtype=fp16 values=noise mask=half out_offset=3",
    "vector_add n=77 dtype=fp32 values=specials mask=runs alias=x",
    "vector_add n=300 dtype=bf16 values=bits",
    "softmax rows=5 columns=131 dtype=fp32 values=noise mask=half",
    "softmax rows=3 columns=64 dtype=fp16 values=deep x_pad=3 y_pad=1",
    "softmax rows=9 columns=33 dtype=bf16 values=specials alias=x",
    "softmax rows=4 columns=40 dtype=fp32 values=negative_infinities mask=sparse",
    "attention seq_q=17 seq_k=33 head_dim=24 heads_kv=2 group=3 batch=2 band_high=0",
    "attention seq_q=40 seq_k=40 head_dim=64 scores=noise contents=noise dtype=bf16 mask=half",
    "attention seq_q=33 seq_k=17 head_dim=16 scores=specials contents=specials lengths=random",
    "attention seq_q=16 seq_k=16 head_dim=16 scores=negative_infinities contents=coded",
};

TEST(Judge, AcceptsTheExactValues) {
  for (const char* text : kCases) {
    const Workload workload = made(text);
    const Judgement judgement = judged(workload, exact_outputs(workload));
    EXPECT_NE(judgement.verdict, Verdict::fail) << text << "\n" << judgement.explanation;
    int64_t elements = 0, seen = 0;
    for (const Tensor& tensor : workload.tensors)
      if (tensor.is_output) elements += tensor.count();
    for (const Quantity& quantity : judgement.quantities)
      seen += quantity.judged + quantity.not_judged;
    EXPECT_EQ(seen, elements) << text;
  }
}

TEST(Judge, RefusesOutputsThatWereNeverWritten) {
  for (const char* text : kCases) {
    const Workload workload = made(text);
    const Judgement judgement = judged(workload, untouched(workload));
    EXPECT_EQ(judgement.verdict, Verdict::fail) << text;
    EXPECT_FALSE(judgement.explanation.empty());
  }
}

TEST(Judge, RefusesAnAllZeroOutput) {
  for (const char* text : {kCases[0], kCases[3], kCases[7], kCases[8]}) {
    const Workload workload = made(text);
    Outputs outputs = untouched(workload);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (workload.tensors[i].is_output)
        std::fill(outputs[i].begin(), outputs[i].end(), std::byte(0));
    EXPECT_EQ(judged(workload, outputs).verdict, Verdict::fail) << text;
  }
}

TEST(Judge, ReadsAnAliasUnderEitherTensor) {
  const Workload workload = made(kCases[1]);
  Outputs outputs = exact_outputs(workload);
  const int out = workload.index_of(Role::out);
  EXPECT_EQ(judged(workload, outputs).verdict, Verdict::pass);
  std::swap(outputs[size_t(out)], outputs[size_t(workload.tensors[size_t(out)].alias_of)]);
  outputs[size_t(out)].clear();
  EXPECT_EQ(judged(workload, outputs).verdict, Verdict::pass);
}

TEST(Judge, RefusesMissingBytesAndGenerousProfiles) {
  const Workload workload = made(kCases[3]);
  Outputs outputs = exact_outputs(workload);
  oddtile_profile generous = fused_profile(oddtile_fp32);
  generous.exp2_error = 1e-3;
  const Judgement refused = judge(workload, outputs, generous);
  EXPECT_EQ(refused.verdict, Verdict::fail);
  EXPECT_NE(refused.explanation.find("profile too generous: exp2_error"), std::string::npos);
  outputs[size_t(workload.index_of(Role::y))].resize(100);
  EXPECT_EQ(judged(workload, outputs).verdict, Verdict::fail);
  outputs.pop_back();
  EXPECT_EQ(judged(workload, outputs).verdict, Verdict::fail);
}

TEST(Judge, PassesEmptyOutputs) {
  for (const char* text : {"vector_add n=0", "softmax rows=0 columns=5", "softmax rows=5 columns=0",
                           "attention seq_q=0 seq_k=5", "attention batch=0"}) {
    const Workload workload = made(text);
    EXPECT_EQ(judged(workload, exact_outputs(workload)).verdict, Verdict::pass) << text;
  }
  // Without keys there is something to judge: zeros and -inf.
  const Workload workload = made("attention seq_q=5 seq_k=0");
  const Judgement judgement = judged(workload, exact_outputs(workload));
  EXPECT_EQ(judgement.verdict, Verdict::pass) << judgement.explanation;
  EXPECT_EQ(judgement.quantities[0].judged, 5 * 16);
  EXPECT_EQ(judgement.quantities[1].judged, 5);
}

TEST(Judge, SaysVacuous) {
  // 4000 level scores and noise in V: no key is visible.
  const Workload flat =
      made("attention seq_q=2 seq_k=4000 head_dim=8 scores=zeros contents=noise lse=0");
  const Judgement judgement = judged(flat, exact_outputs(flat));
  EXPECT_EQ(judgement.verdict, Verdict::vacuous) << judgement.visible_edge_keys;
  EXPECT_LT(judgement.visible_edge_keys, 0.5);
  const Workload one_hot = made("attention seq_q=20 seq_k=20 head_dim=32 contents=one_hot");
  const Judgement visible = judged(one_hot, exact_outputs(one_hot));
  EXPECT_EQ(visible.verdict, Verdict::pass) << visible.explanation;
  EXPECT_GT(visible.zero_output_factor, 2);
  const Workload single = made("attention seq_q=2 seq_k=1 contents=noise");
  EXPECT_EQ(judged(single, exact_outputs(single)).verdict, Verdict::pass);
}

// Rows decided by classes (dead, NaN, one key) do not stand for the live rows that nothing judged.
TEST(Judge, SaysVacuousWhenEveryLiveRowLiesOutsideTheDomain) {
  for (const char* text :
       {"attention dtype=bf16 batch=2 seq_q=40 seq_k=40 head_dim=16 scale=3e38 band_low=-3 "
        "band_high=0 mask=sparse scores=noise",
        "attention batch=4 seq_q=8 seq_k=33 scale=3e38 lengths=mixed scores=noise",
        "attention seq_q=8 seq_k=33 scale=3e38 scores=noise"}) {
    const Workload workload = made(text);
    const Judgement judgement = judged(workload, exact_outputs(workload));
    EXPECT_EQ(judgement.verdict, Verdict::vacuous) << text;
    EXPECT_NE(judgement.explanation.find("domain"), std::string::npos) << judgement.explanation;
  }
  // Nothing is skipped here: classes alone prove.
  const Workload dead = made("attention seq_q=8 seq_k=33 scale=3e38 mask=nothing scores=noise");
  EXPECT_EQ(judged(dead, exact_outputs(dead)).verdict, Verdict::pass);
}

TEST(Judge, IsFastEnoughForFuzzing) {
  const Workload workload =
      made("attention seq_q=130 seq_k=130 head_dim=64 scores=noise contents=noise");
  const Outputs outputs = exact_outputs(workload);
  const auto start = std::chrono::steady_clock::now();
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) judged(workload, outputs);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("attention 130 x 130 x 64: %.2f ms a judgement\n", time.count() / rounds);
}

}  // namespace
}  // namespace oddtile::oracles
