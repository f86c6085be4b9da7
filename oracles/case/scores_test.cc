// Every recipe makes the scores that its name says, from the numbers that were really stored.
#include "oracles/case/scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "oracles/case/text.h"
#include "oracles/case/values.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {
namespace {

std::vector<double> row_of(const Tensor& tensor, int64_t i1, int64_t i2) {
  std::vector<double> row;
  for (int64_t i3 = 0; i3 < tensor.sizes[3]; ++i3) {
    row.push_back(value_at(tensor.bytes, tensor.element, tensor.index(0, i1, i2, i3)));
  }
  return row;
}

struct ScoreTable {
  std::vector<std::vector<double>> scores;     // per query, of head 0
  std::vector<std::vector<double>> magnitude;  // |scale| sum |q||k|
};

ScoreTable scores_of(const AttentionCase& c, uint64_t seed = 0) {
  const Workload workload = materialise({c, -1, seed}, Poison::nan);
  const Tensor& q = *workload.find(Role::q);
  const Tensor& k = *workload.find(Role::k);
  ScoreTable table;
  for (int64_t query = 0; query < c.seq_q; ++query) {
    const auto q_row = row_of(q, 0, query);
    table.scores.emplace_back();
    table.magnitude.emplace_back();
    for (int64_t key = 0; key < c.seq_k; ++key) {
      const auto k_row = row_of(k, 0, key);
      double dot = 0;
      double magnitude = 0;
      for (size_t x = 0; x < q_row.size(); ++x) {
        dot += q_row[x] * k_row[x];
        magnitude += std::abs(q_row[x] * k_row[x]);
      }
      table.scores.back().push_back(c.scale * dot);
      table.magnitude.back().push_back(std::abs(c.scale) * magnitude);
    }
  }
  return table;
}

std::vector<AttentionCase> variants(Scores scores, int64_t head_dim_from = 1) {
  std::vector<AttentionCase> cases;
  for (int64_t head_dim : {1, 2, 7, 8, 16, 40, 64, 100, 128, 256}) {
    if (head_dim < head_dim_from) continue;
    for (float scale : {1 / std::sqrt(float(head_dim)), 1.0f, -0.25f, 0.01f}) {
      for (oddtile_dtype dtype : {oddtile_fp16, oddtile_bf16}) {
        cases.push_back({.dtype = dtype,
                         .seq_q = 9,
                         .seq_k = 67,
                         .head_dim = head_dim,
                         .scale = scale,
                         .scores = scores});
      }
    }
  }
  return cases;
}

std::string label(const AttentionCase& c) {
  return print({c});
}

void expect_around(Scores scores, double centre, double tolerance) {
  for (const AttentionCase& c : variants(scores)) {
    for (const auto& row : scores_of(c).scores) {
      for (double score : row) {
        ASSERT_NEAR(score, centre, tolerance * std::abs(centre)) << label(c);
      }
    }
  }
}

TEST(Scores, LevelIsMinus200) {
  expect_around(Scores::level, -200, 0.01);
}
// One row in four is extreme in every key (`extreme` says of a score), the others in none: small
// scores that leave every key visible.
void expect_calm_rows_beside(const AttentionCase& c, const ScoreTable& table,
                             const std::function<bool(double)>& extreme) {
  int64_t extremes = 0;
  for (const auto& row : table.scores) {
    const bool is_extreme = extreme(row[0]);
    extremes += is_extreme;
    for (double score : row) {
      ASSERT_EQ(extreme(score), is_extreme) << label(c);
      if (!is_extreme) {
        ASSERT_LE(std::abs(score), 64) << label(c);
      }
    }
  }
  ASSERT_GE(extremes, c.seq_q / 4) << label(c);
  ASSERT_LE(extremes, (c.seq_q + 3) / 4) << label(c);
}

TEST(Scores, DeepIsMinus60000InOneRowOfFour) {
  for (const AttentionCase& c : variants(Scores::deep)) {
    expect_calm_rows_beside(c, scores_of(c),
                            [](double score) { return std::abs(score + 60000) <= 600; });
  }
}
TEST(Scores, HighIs100) {
  expect_around(Scores::high, 100, 0.02);
}

TEST(Scores, RisingRisesStrictlyAndFallingFalls) {
  for (Scores scores : {Scores::rising, Scores::falling}) {
    for (const AttentionCase& c : variants(scores, 2)) {
      for (const auto& row : scores_of(c).scores) {
        for (size_t key = 1; key < row.size(); ++key) {
          const double step = (row[key] - row[key - 1]) * (scores == Scores::rising ? 1 : -1);
          ASSERT_GT(step, 0.02) << label(c) << " key " << key;
        }
      }
    }
  }
}

TEST(Scores, LastMaxHasItsMaximumInTheLastKey) {
  for (const AttentionCase& c : variants(Scores::last_max)) {
    for (const auto& row : scores_of(c).scores) {
      ASSERT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), c.seq_k - 1) << label(c);
    }
  }
}

TEST(Scores, TiesAreExactAndSpreadOverTheTiles) {
  for (const AttentionCase& c : variants(Scores::ties)) {
    for (const auto& row : scores_of(c).scores) {
      const std::set<double> distinct(row.begin(), row.end());
      ASSERT_LE(distinct.size(), 3u) << label(c);
      ASSERT_GE(distinct.size(), 2u) << label(c);
      ASSERT_EQ(row[0], row[66]) << label(c);
      ASSERT_EQ(row[15], row[16]) << label(c);
    }
  }
}

TEST(Scores, ZerosAreExactly0AlthoughQAndKAreNot) {
  for (const AttentionCase& c : variants(Scores::zeros)) {
    for (const auto& row : scores_of(c).scores) {
      for (double score : row) ASSERT_EQ(score, 0) << label(c);
    }
  }
}

TEST(Scores, PeakedGivesOneClassOfKeysNearlyAllTheWeight) {
  for (const AttentionCase& c : variants(Scores::peaked, 16)) {
    const ScoreTable table = scores_of(c);
    for (int64_t query = 0; query < c.seq_q; ++query) {
      const auto& row = table.scores[size_t(query)];
      const double best = *std::max_element(row.begin(), row.end());
      ASSERT_GT(row[size_t(query)], best - 8) << label(c);
      double others = 0, all = 0;
      for (size_t key = 0; key < row.size(); ++key) {
        all += std::exp(row[key] - best);
        if (row[key] < best - 5) others += std::exp(row[key] - best);
      }
      ASSERT_LT(others / all, 0.2) << label(c);
    }
  }
}

TEST(Scores, Fp16OverflowExceedsHalfPrecisionBeforeTheScale) {
  for (const AttentionCase& c : variants(Scores::fp16_overflow)) {
    expect_calm_rows_beside(c, scores_of(c),
                            [&](double score) { return std::abs(score / c.scale) >= 65520; });
  }
}

// From |M| = 2^22 on a single fused multiply-add fails.
TEST(Scores, DeeperAndFusedExponentExceedTwoToThe22) {
  for (Scores scores : {Scores::deeper, Scores::fused_exponent}) {
    for (const AttentionCase& c : variants(scores)) {
      const ScoreTable table = scores_of(c);
      expect_calm_rows_beside(c, table, [](double score) {
        return std::abs(score) * std::log2(std::exp(1.0)) >= 0x1p22;
      });
      for (const auto& row : table.scores) {
        for (double score : row) {
          if (scores == Scores::deeper) {
            ASSERT_LT(score, 0) << label(c);
          }
        }
        ASSERT_EQ(row[0], row[66]) << label(c);  // ties stay ties
      }
    }
  }
}

// Integers and noise are calmed where the scale is large; a row that sees one diagonal needs no
// calm, since one key is judged exactly.
TEST(Scores, LargeScalesLeaveCalmRows) {
  for (Scores scores : {Scores::integers, Scores::noise}) {
    AttentionCase c = {.seq_q = 40, .seq_k = 67, .head_dim = 64, .scale = 1e6, .scores = scores};
    for (const bool one_diagonal : {false, true}) {
      if (one_diagonal) c.band_low = c.band_high = 3;
      int64_t calm = 0;
      for (const auto& row : scores_of(c).scores) {
        const auto [low, high] = std::minmax_element(row.begin(), row.end());
        calm += *high - *low < 16;
      }
      EXPECT_EQ(calm, one_diagonal ? 0 : 30) << label(c);
    }
  }
}

TEST(Scores, CancellingScoresAreFarBelowTheirTerms) {
  for (const AttentionCase& c : variants(Scores::cancelling, 16)) {
    const ScoreTable table = scores_of(c);
    double scores = 0, terms = 0;
    for (size_t query = 0; query < table.scores.size(); ++query) {
      for (size_t key = 0; key < table.scores[query].size(); ++key) {
        scores += std::abs(table.scores[query][key]);
        terms += table.magnitude[query][key];
      }
    }
    EXPECT_GT(terms, 10 * scores) << label(c);
  }
}

TEST(Scores, NegativeInfinitiesHidesKeysRowsAndHeads) {
  int dead_rows = 0, mixed_rows = 0, dead_heads = 0, nans = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const AttentionCase c = {.seq_q = 9, .seq_k = 67, .scores = Scores::negative_infinities};
    bool dead_head = true;
    for (const auto& row : scores_of(c, seed).scores) {
      const auto dead = std::count(row.begin(), row.end(), -INFINITY);
      dead_rows += dead == 67;
      mixed_rows += dead > 0 && dead < 67;
      dead_head = dead_head && dead == 67;
      for (double score : row) nans += std::isnan(score) || score == INFINITY;
    }
    dead_heads += dead_head;
  }
  EXPECT_GT(dead_rows, 20);
  EXPECT_GT(mixed_rows, 100);
  EXPECT_GT(dead_heads, 2);
  EXPECT_EQ(nans, 0);
}

TEST(Scores, SpecialsLeaveMostRowsAlone) {
  int ruined = 0, sound = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const AttentionCase c = {.seq_q = 9, .seq_k = 67, .scores = Scores::specials};
    for (const auto& row : scores_of(c, seed).scores) {
      const bool bad =
          std::any_of(row.begin(), row.end(), [](double s) { return !std::isfinite(s); });
      (bad ? ruined : sound) += 1;
    }
  }
  EXPECT_GT(ruined, 20);
  EXPECT_GT(sound, 100);
}

// A fault at a tile's edge must be able to show: every edge key has weight for some row.
TEST(Scores, EdgeKeysHaveWeightForSomeRow) {
  for (Scores scores : {Scores::integers, Scores::zeros, Scores::level, Scores::high, Scores::ties,
                        Scores::peaked, Scores::noise}) {
    for (int64_t head_dim : {16, 40, 64, 128}) {
      const AttentionCase c = {.seq_q = 130,
                               .seq_k = 130,
                               .head_dim = head_dim,
                               .scale = double(float(1 / std::sqrt(double(head_dim)))),
                               .scores = scores};
      const ScoreTable table = scores_of(c);
      for (size_t key = 0; key < 130; ++key) {
        if (!is_edge(int64_t(key), 130)) continue;
        double most = 0;
        for (const auto& row : table.scores) {
          const double best = *std::max_element(row.begin(), row.end());
          double sum = 0;
          for (double score : row) sum += std::exp(score - best);
          most = std::max(most, std::exp(row[key] - best) / sum);
        }
        EXPECT_GT(most, 2e-3) << label(c) << " key " << key;
      }
    }
  }
}

}  // namespace
}  // namespace oddtile::oracles
