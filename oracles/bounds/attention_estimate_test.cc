// Estimates enclose the bounds, on random cases of every recipe and on random profiles.
#include "oracles/bounds/attention_estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "kernels/base/random.h"
#include "oracles/bounds/emulation.h"
#include "oracles/case/fields.h"
#include "oracles/case/text.h"

namespace oddtile::oracles {
namespace {

std::string random_case(Random& random, bool half) {
  std::string text = "attention heads_kv=1 group=1 seed=" + std::to_string(random.below(1000));
  const auto choose = [&](const char* name, auto values) {
    text +=
        " " + std::string(name) + "=" + std::string(values[random.below(uint32_t(values.size()))]);
  };
  text += half ? " dtype=fp16" : " dtype=bf16";
  choose("mask", names(MaskKind::none));
  choose("scores", names(Scores::noise));
  choose("contents", names(Contents::noise));
  text += " seq_q=4 seq_k=" + std::to_string(random.between(1, 400)) +
          " head_dim=" + std::to_string(random.between(1, 80));
  if (random.below(2)) text += " band_high=" + std::to_string(random.between(-3, 60));
  text += " scale=" + std::string(std::array{"0.5", "-0.125", "0", "0.03125"}[random.below(4)]);
  return text;
}

TEST(AttentionEstimate, EnclosesTheBounds) {
  Random random(5);
  AttentionBlock block;
  AttentionRow row;
  AttentionBound bound;
  AttentionEstimate estimate;
  int valid = 0, rows = 0;
  double looseness = 0;
  for (int round = 0; round < 1500 && !::testing::Test::HasFailure(); ++round) {
    emulation::Variant variant = emulation::random_variant(random);
    const std::string text = random_case(random, variant.dtype == oddtile_fp16);
    const Workload workload = materialise(std::get<Case>(parse(text)), Poison::nan);
    const double scale = std::get<AttentionCase>(workload.subject.problem).scale;
    oddtile_profile profile = variant.profile();
    if (random.below(4) == 0) profile.extra_frame_u = 1;
    if (random.below(4) == 0) profile.weight_dtype = oddtile_fp32;
    const AttentionOracle oracle(workload);
    const KeysAndValues kv = oracle.load(0, 0);
    const BlockOperands operands(kv, true);
    const RowId ids[] = {{0, 0}, {0, 1}, {0, 3}};
    block.compute(oracle, operands, 0, ids, true);
    for (int64_t r = 0; r < 3; ++r) {
      if (!block.row(r).plain) continue;
      ++rows;
      oracle.row(kv, 0, 0, ids[r].i, Precision::standard, row);
      bound_attention(row, kv, scale, profile, variant.dtype, bound);
      estimate_attention(block.row(r), block.o(r), block.size(r), operands.v_largest,
                         KeyTerms(row.keys, profile), scale, profile, variant.dtype, estimate);
      if (!estimate.valid) continue;
      ++valid;
      // Beyond the estimates' own double arithmetic, which the judge has a margin for.
      constexpr double slack = 1e-9;
      EXPECT_LE(estimate.lse_lower, bound.lse * (1 + slack)) << text;
      EXPECT_GE(estimate.lse_upper, bound.lse * (1 - slack)) << text;
      for (int64_t c = 0; c < kv.head_dim; ++c) {
        EXPECT_LE(estimate.lower[size_t(c)], bound.o[size_t(c)] * (1 + slack)) << text;
        EXPECT_GE(estimate.upper[size_t(c)], bound.o[size_t(c)] * (1 - slack)) << text;
      }
      looseness += bound.o[0] / estimate.lower[0] - 1;
    }
  }
  std::printf("%d of %d plain rows have estimates; a bound exceeds its own by %.1f %% on average\n",
              valid, rows, 100 * looseness / valid);
  EXPECT_GT(valid, 1000);
}

}  // namespace
}  // namespace oddtile::oracles
