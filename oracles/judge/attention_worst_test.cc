// Judging with estimates against judging with every bound in full.
#include "oracles/judge/attention_worst.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"
#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

std::string random_case(Random& random) {
  std::string text = "attention heads_kv=2 group=2 seed=" + std::to_string(random.below(1000));
  const auto choose = [&](const char* name, auto values) {
    text +=
        " " + std::string(name) + "=" + std::string(values[random.below(uint32_t(values.size()))]);
  };
  choose("dtype", std::array{std::string_view("fp16"), std::string_view("bf16")});
  choose("lengths", names(KeyLengths::none));
  choose("mask", names(MaskKind::none));
  choose("scores", names(Scores::noise));
  choose("contents", names(Contents::noise));
  text += " seq_q=" + std::to_string(random.between(1, 20)) +
          " seq_k=" + std::to_string(random.between(257, 400)) +
          " head_dim=" + std::to_string(random.between(1, 40));
  if (random.below(2)) text += " band_high=" + std::to_string(random.between(-3, 300));
  text += " scale=" + std::string(std::array{"0.5", "-0.125", "0", "0.03125"}[random.below(4)]);
  return text;
}

// Errors of up to the outputs' rounding and, in some elements, `much` more.
void disturb(Outputs& outputs, const Workload& workload, double much, Random& random) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    if (!tensor.is_output) continue;
    for (int64_t a = 0; a < tensor.sizes[0]; ++a)
      for (int64_t b = 0; b < tensor.sizes[1]; ++b)
        for (int64_t c = 0; c < tensor.sizes[2]; ++c)
          for (int64_t d = 0; d < tensor.sizes[3]; ++d) {
            if (random.below(8) != 0) continue;
            const int64_t index = tensor.index(a, b, c, d);
            const double value = get(outputs, workload, tensor.role, index);
            if (std::isfinite(value))
              put(outputs, workload, tensor.role, index,
                  value + much * random.normal() * std::fabs(value));
          }
  }
}

TEST(Effort, DecidesAsFullBoundsDo) {
  Random random(3);
  int cheap = 0, failing = 0, passing = 0;
  for (int round = 0; round < 250 && !::testing::Test::HasFailure(); ++round) {
    const std::string text = random_case(random);
    const Workload workload = made(text);
    const auto& c = std::get<AttentionCase>(workload.subject.problem);
    Outputs outputs = exact_outputs(workload);
    disturb(outputs, workload, std::array{0.0, 1e-7, 1e-5, 1e-4, 5e-4, 2e-3}[random.below(6)],
            random);
    oddtile_profile profile = fused_profile(c.dtype);
    if (random.below(2)) profile.tile_columns = 64;
    const Judgement some = judge(workload, outputs, profile, {});
    const Judgement full = judge(workload, outputs, profile, {.effort = Effort::full});
    EXPECT_EQ(some.verdict, full.verdict) << text << "\n" << some.explanation << full.explanation;
    ASSERT_EQ(some.quantities.size(), full.quantities.size());
    for (size_t q = 0; q < some.quantities.size(); ++q) {
      const Quantity &a = some.quantities[q], &b = full.quantities[q];
      EXPECT_EQ(a.judged, b.judged) << text;
      EXPECT_EQ(a.not_judged, b.not_judged) << text;
      EXPECT_EQ(a.failed, b.failed) << text;
      if (b.worst_ratio < kNever)
        EXPECT_LE(std::fabs(a.worst_ratio - b.worst_ratio), 1e-9 + 1e-6 * b.worst_ratio) << text;
      EXPECT_EQ(a.net_drawn, b.net_drawn);
      for (size_t regime = 0; regime < 3; ++regime)
        EXPECT_LE(std::fabs(a.worst_net[regime] - b.worst_net[regime]),
                  1e-6 * (1 + b.worst_net[regime]))
            << text;
      // The others are upper estimates.
      EXPECT_GE(a.rms_ratio, b.rms_ratio * (1 - 1e-6) - 1e-9) << text;
      EXPECT_GE(a.p99_ratio, b.p99_ratio * (1 - 1e-6) - 1e-9) << text;
    }
    EXPECT_LE(some.visible_edge_keys, full.visible_edge_keys) << text;
    EXPECT_LE(some.zero_output_factor, full.zero_output_factor * (1 + 1e-6)) << text;
    EXPECT_LE(some.fully_bounded, full.fully_bounded) << text;
    cheap += some.fully_bounded < full.fully_bounded;
    failing += full.verdict == Verdict::fail;
    passing += full.verdict == Verdict::pass;
  }
  EXPECT_GT(cheap, 40);
  EXPECT_GT(failing, 50);
  EXPECT_GT(passing, 50);
}

TEST(Effort, FindsWhatMayBeWorst) {
  AttentionChunk whole;
  std::vector<Candidate> candidates(100);
  std::vector<RowId> judged;
  for (size_t at = 0; at < candidates.size(); ++at) {
    candidates[at].id.i = int64_t(at);
    candidates[at].live = 300;
    candidates[at].may[0] = double(at * 37 % 100) / 100;
  }
  // In full every ratio is 0.9 of what it may be.
  resolve_worst(candidates, whole, [&](std::span<const RowId> rows, AttentionChunk& chunk) {
    for (const RowId row : rows) {
      judged.push_back(row);
      const double got = 0.9 * candidates[size_t(row.i)].may[0];
      const Expectation expected{Expectation::Kind::number, 0, 1};
      chunk.o.add(compare(got, expected, kNever), got, expected, {0, 0, row.i, 0}, "");
    }
  });
  EXPECT_DOUBLE_EQ(whole.o.worst_ratio(), 0.9 * 0.99);
  EXPECT_EQ(whole.o.judged(), 0);
  EXPECT_LE(judged.size(), 16u);
  EXPECT_EQ(judged[0].i * 37 % 100, 99);
}

}  // namespace
}  // namespace oddtile::oracles
