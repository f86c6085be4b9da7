// The judge itself, with planted errors one step inside and outside the bound, on either side.
#include "oracles/judge/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

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

// The number of `element`'s type next to `value` in direction `up`.
double neighbour(Element element, double value, bool up) {
  const double step = element == Element::fp32   ? 0x1p-24
                      : element == Element::fp16 ? 0x1p-11
                                                 : 0x1p-8;
  const double moved = value + (up ? 1.5 : -1.5) * step * std::fabs(value);
  if (element == Element::fp32) return std::nextafterf(float(value), up ? INFINITY : -INFINITY);
  return element == Element::fp16 ? half_to_float(float_to_half(float(moved)))
                                  : bfloat16_to_float(float_to_bfloat16(float(moved)));
}

// The last representable number inside the bound on one side passes, its neighbour fails.
void expect_sharp(const Workload& workload, Role role, int64_t index, double exact, double bound,
                  bool up) {
  const Tensor& tensor = *workload.find(role);
  double inside = exact;
  Outputs outputs = exact_outputs(workload);
  inside = get(outputs, workload, role, index);
  ASSERT_LE(std::fabs(inside - exact), bound);
  for (;;) {
    const double next = neighbour(tensor.element, inside, up);
    if (!(std::fabs(next - exact) <= bound)) break;
    inside = next;
  }
  put(outputs, workload, role, index, inside);
  Judgement judgement = judged(workload, outputs);
  EXPECT_NE(judgement.verdict, Verdict::fail) << judgement.explanation;
  put(outputs, workload, role, index, neighbour(tensor.element, inside, up));
  judgement = judged(workload, outputs);
  EXPECT_EQ(judgement.verdict, Verdict::fail);
  int64_t failed = 0;
  for (const Quantity& quantity : judgement.quantities) failed += quantity.failed;
  EXPECT_EQ(failed, 1);
  EXPECT_NE(judgement.explanation.find("within_bound"), std::string::npos);
}

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
        expect_sharp(workload, Role::y, y.index(0, 0, 1, int64_t(c)), row.weight[c], bound.error[c],
                     up);
  }
}

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
      expect_sharp(workload, Role::lse, workload.find(Role::lse)->index(0, 0, 0, 2), row.lse,
                   bound.lse, up);
      for (const int64_t x : {0, 7})
        expect_sharp(workload, Role::o, workload.find(Role::o)->index(0, 0, 2, x), row.o[size_t(x)],
                     bound.o[size_t(x)], up);
    }
  }
}

// A bound put 2^-20 above and below an error: double alone cannot tell, multiprecision can.
TEST(Judge, EscalatesNearTheLine) {
  const Workload workload =
      made("attention seq_q=1 seq_k=40 head_dim=8 scores=noise contents=noise");
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  oracle.row(kv, 0, 0, 0, Precision::wide, row);
  oddtile_profile profile = fused_profile(c.dtype);
  const auto lse_bound = [&](double log2_error) {
    AttentionBound bound;
    profile.log2_error = log2_error;
    bound_attention(row, kv, c.scale, profile, c.dtype, bound);
    return bound.lse;
  };
  const double base = lse_bound(0), slope = (lse_bound(0x1p-20) - base) / 0x1p-20;
  Outputs outputs = exact_outputs(workload);
  const int64_t index = workload.find(Role::lse)->index(0, 0, 0, 0);
  put(outputs, workload, Role::lse, index, row.lse + base + slope * 0x1p-21);
  const double error = std::fabs(get(outputs, workload, Role::lse, index) - row.lse);
  for (const double side : {-1, 1}) {
    profile.log2_error = (error * (1 + side * 0x1p-20) - base) / slope;
    const Judgement judgement = judge(workload, outputs, profile);
    EXPECT_EQ(judgement.escalated, 8);
    EXPECT_EQ(judgement.verdict == Verdict::fail, side < 0) << judgement.explanation;
  }
}

// One element of an otherwise exact output replaced.
Verdict after_planting(const Workload& workload, Role role, int64_t index, double value) {
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, role, index, value);
  return judged(workload, outputs).verdict;
}

TEST(Judge, ClassesComeFirst) {
  const Workload softmax = made("softmax rows=1 columns=3 values=noise mask=first");
  const Tensor& y = *softmax.find(Role::y);
  const Tensor& mask = *softmax.find(Role::mask);
  int64_t hidden = 0;
  while (read_at<uint8_t>(stored_bytes(softmax, mask), mask.index(0, 0, 0, hidden)) != 0) ++hidden;
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), 0.0), Verdict::pass);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), -0.0), Verdict::fail);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), 1e-40), Verdict::fail);
  EXPECT_EQ(after_planting(softmax, Role::y, y.index(0, 0, 0, hidden), NAN), Verdict::fail);

  const Workload attention = made(kCases[7]);
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

TEST(Compare, RatiosAndInfinities) {
  const auto number = [](double exact, double bound) {
    return Expectation{Expectation::Kind::number, exact, bound};
  };
  EXPECT_EQ(compare(1, number(1, 0), 65520).ratio, 0);
  EXPECT_EQ(compare(1.5, number(1, 0), 65520).ratio, kNever);
  EXPECT_EQ(compare(1.5, number(1, 1), 65520).ratio, 0.5);
  EXPECT_EQ(compare(0.5, number(1, 1), 65520).share, -0.5);
  EXPECT_TRUE(compare(NAN, number(1, kNever), 65520).failed);
  EXPECT_EQ(compare(NAN, number(1, 1), 65520).ratio, kNever);
  // Overflow: the infinity of that side, where the bound reaches the threshold.
  EXPECT_FALSE(compare(INFINITY, number(65500, 30), 65520).failed);
  EXPECT_TRUE(compare(-INFINITY, number(65500, 30), 65520).failed);
  EXPECT_FALSE(compare(-INFINITY, number(-65500, 30), 65520).failed);
  EXPECT_TRUE(compare(INFINITY, number(65000, 30), 65520).failed);
  EXPECT_DEATH(compare(1, number(1, NAN), 65520), "broken invariant");
  EXPECT_DEATH(compare(1, number(1, -1), 65520), "broken invariant");
  EXPECT_DEATH(compare(1, number(NAN, 1), 65520), "broken invariant");
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

TEST(Sampling, HoldsFirstLastAndTileEdges) {
  const std::vector<int64_t> all = sampled_rows(10, 5, 4, {});
  EXPECT_EQ(all.size(), 10u);
  const Sampling few = {40, 3};
  const std::vector<int64_t> rows = sampled_rows(1000, 100, 16, few);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 999);
  EXPECT_GE(rows.size(), 14u);
  EXPECT_LE(rows.size(), 42u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const int64_t edge : {15, 16, 31, 32, 95, 96, 99})
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](int64_t row) {
      return row % 100 == edge;
    })) << edge;
  EXPECT_EQ(rows, sampled_rows(1000, 100, 16, few));
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
