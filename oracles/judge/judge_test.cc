// The judge itself, with planted errors one step inside and outside the bound, on either side.
#include "oracles/judge/judge.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "oracles/bounds/attention.h"
#include "oracles/bounds/rounding.h"
#include "oracles/bounds/softmax.h"
#include "oracles/case/text.h"
#include "oracles/judge/fill.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

oddtile_profile fused_profile(oddtile_dtype dtype) {
  oddtile_profile profile = {};
  profile.tile_rows = profile.tile_columns = 16;
  profile.sum_lanes = 4;
  profile.mma_products = 16;
  profile.mma_fraction_bits = 25;
  profile.weight_dtype = dtype;
  profile.exp2_flushes = 1;
  profile.exp2_error = 0x1p-22;
  profile.log2_error = 0x1p-22;
  profile.division_error_u = 4;
  return profile;
}

Workload made(const std::string& text) {
  const auto parsed = parse(text);
  if (const auto* error = std::get_if<TextError>(&parsed)) ADD_FAILURE() << error->message;
  return materialise(std::get<Case>(parsed), Poison::nan);
}

Judgement judged(const Workload& workload, const Outputs& outputs) {
  const oddtile_dtype dtype =
      std::visit([](const auto& c) { return c.dtype; }, workload.subject.problem);
  return judge(workload, outputs, fused_profile(dtype));
}

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

}  // namespace
}  // namespace oddtile::oracles
