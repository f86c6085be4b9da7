// Blocks against rows, on random cases of every recipe, mask and layout.
#include "oracles/exact/attention_block.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"
#include "oracles/case/text.h"

namespace oddtile::oracles {
namespace {

std::string random_case(Random& random) {
  std::string text =
      "attention heads_kv=2 group=2 batch=2 seed=" + std::to_string(random.below(99));
  const auto choose = [&](const char* name, auto values) {
    text +=
        " " + std::string(name) + "=" + std::string(values[random.below(uint32_t(values.size()))]);
  };
  choose("dtype", std::array{std::string_view("fp16"), std::string_view("bf16")});
  choose("lengths", names(KeyLengths::none));
  choose("mask", names(MaskKind::none));
  choose("mask_layout", names(MaskLayout::dense));
  choose("scores", names(Scores::noise));
  choose("contents", names(Contents::noise));
  choose("k_layout", names(Layout::bhsd));
  text += " seq_q=" + std::to_string(random.between(1, 40)) +
          " seq_k=" + std::to_string(random.between(1, 300)) +
          " head_dim=" + std::to_string(random.between(1, 40));
  if (random.below(2)) text += " band_high=" + std::to_string(random.between(-3, 60));
  if (random.below(2)) text += " band_low=" + std::to_string(random.between(-60, 3));
  text += " scale=" + std::string(std::array{"0.5", "-0.25", "0", "3"}[random.below(4)]);
  return text;
}

// What two summations of the row may differ by.
void expect_same(const AttentionRow& block, const AttentionRow& row, const KeysAndValues& kv,
                 const std::string& text) {
  ASSERT_EQ(block.keys, row.keys) << text;
  const double weight = block.errors.weight + row.errors.weight;
  for (size_t j = 0; j < row.keys.size(); ++j) {
    EXPECT_LE(std::fabs(block.weight[j] - row.weight[j]), weight * row.weight[j] + 1e-300) << text;
    EXPECT_LE(std::fabs(block.magnitude[j] - (row.magnitude[j])), 1e-13 * row.magnitude[j]) << text;
  }
  EXPECT_LE(std::fabs(block.lse - row.lse), block.errors.lse + row.errors.lse) << text;
  for (int64_t c = 0; c < kv.head_dim; ++c) {
    double size = 0;
    for (size_t j = 0; j < row.keys.size(); ++j)
      size += row.weight[j] * std::fabs(kv.v[size_t(row.keys[j] * kv.head_dim + c)]);
    EXPECT_LE(std::fabs(block.o[size_t(c)] - row.o[size_t(c)]),
              (2 * weight + block.errors.value + row.errors.value) * size + 1e-300)
        << text;
  }
}

// The estimates' sums against the same from the row's weights.
void expect_sums(const AttentionBlock& block, int64_t r, const AttentionRow& row,
                 const KeysAndValues& kv, const std::string& text) {
  const BlockRow& sums = block.row(r);
  double offset = 0, score = 0, magnitude = 0, least = INFINITY, most = 0, far = 0;
  for (size_t j = 0; j < row.keys.size(); ++j) {
    offset += row.weight[j] * std::fabs(row.offset[j]);
    score += row.weight[j] * std::fabs(row.offset[j] + row.max);
    magnitude += row.weight[j] * row.magnitude[j];
    least = std::min(least, row.magnitude[j]);
    most = std::max(most, row.magnitude[j]);
    far = std::max(far, -row.offset[j]);
  }
  const double share = 1e-5 + 3 * row.errors.weight;
  const double tiny = share * (most + 1e-30);
  EXPECT_LE(std::fabs(sums.mean_offset - (offset)), share * (offset + 1)) << text;
  EXPECT_LE(std::fabs(sums.mean_score - (score)), share * (score + 1)) << text;
  EXPECT_LE(std::fabs(sums.mean_magnitude - (magnitude)), tiny) << text;
  EXPECT_LE(sums.least_magnitude, least + tiny) << text;
  EXPECT_GE(sums.largest_magnitude, most - tiny) << text;
  EXPECT_LE(std::fabs(sums.largest_offset - (far)), share * (far + 1)) << text;
  for (int64_t c = 0; c < kv.head_dim; ++c) {
    double size = 0;
    for (size_t j = 0; j < row.keys.size(); ++j)
      size += row.weight[j] * std::fabs(kv.v[size_t(row.keys[j] * kv.head_dim + c)]);
    EXPECT_LE(std::fabs(double(block.size(r)[c]) / sums.sum - (size)), share * size + 1e-35)
        << text;
  }
}

TEST(AttentionBlock, AgreesWithRows) {
  Random random(11);
  int plain = 0, others = 0, subnormal = 0;
  AttentionBlock block;
  AttentionRow row, filled;
  for (int round = 0; round < 300 && !::testing::Test::HasFailure(); ++round) {
    const std::string text = random_case(random);
    const Workload workload = materialise(std::get<Case>(parse(text)), Poison::nan);
    const auto& c = std::get<AttentionCase>(workload.subject.problem);
    const AttentionOracle oracle(workload);
    std::vector<RowId> rows;
    for (int64_t i = 0; i < c.seq_q; i += 1 + int64_t(random.below(3)))
      rows.push_back({int64_t(random.below(4)) / 2, i});
    const KeysAndValues kv = oracle.load(1, 0);
    for (const bool estimates : {false, true}) {
      const BlockOperands operands(kv, estimates);
      block.compute(oracle, operands, 1, rows, estimates);
      for (size_t r = 0; r < rows.size(); ++r) {
        oracle.row(kv, 1, rows[r].head, rows[r].i, Precision::standard, row);
        if (!block.row(int64_t(r)).plain) {
          ++others;
          continue;
        }
        ++plain;
        subnormal += kv.k_subnormal;
        ASSERT_EQ(row.row_class, RowClass::live) << text;
        ASSERT_EQ(block.row(int64_t(r)).live, int64_t(row.keys.size())) << text;
        if (estimates) {
          expect_sums(block, int64_t(r), row, kv, text);
        } else {
          block.fill(int64_t(r), filled);
          expect_same(filled, row, kv, text);
        }
      }
    }
  }
  EXPECT_GT(plain, 1000);
  EXPECT_GT(subnormal, 50);  // their A_j is another
  EXPECT_GT(others, 300);
}

// What double_errors() takes for granted: 4 e, here against long double.
TEST(AttentionBlock, VectorisedExponentialIsAccurate) {
  Random random(2);
  double worst = 0;
  for (int round = 0; round < 20000; ++round) {
    Eigen::Array<double, 8, 1> x;
    for (double& value : x) value = -708 * std::pow(random.unit(), 1 + round % 9);
    const Eigen::Array<double, 8, 1> y = x.exp();
    for (int i = 0; i < 8; ++i) {
      const long double exact = std::exp((long double)x[i]);
      worst = std::max(worst, std::fabs(double((y[i] - exact) / exact)));
    }
  }
  std::printf("Eigen's exp errs by at most %.2f * 2^-53\n", worst * 0x1p53);
  EXPECT_LT(worst, 4 * 0x1p-53);
}

// Weights below e^-708 are 0, hidden keys too, whatever the exponential does with -inf.
TEST(AttentionBlock, SameBitsWhereverTheBuffersLie) {
  const auto parsed = parse("attention seq_q=60 seq_k=77 head_dim=8 scores=noise contents=noise");
  const Workload workload = materialise(std::get<Case>(parsed), Poison::nan);
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  const BlockOperands operands(kv, false);
  std::vector<RowId> rows;
  for (int64_t i = 0; i < 60; ++i) rows.push_back({0, i});
  // Kept, so that the next ones lie elsewhere.
  std::vector<std::vector<char>> between;
  std::deque<AttentionBlock> kept;
  for (size_t round = 0; round < 32; ++round) {
    between.emplace_back(8 + 16 * round);
    kept.emplace_back().compute(oracle, operands, 0, rows, false);
    for (int64_t r = 0; r < 60; ++r) {
      ASSERT_TRUE(kept.back().row(r).plain);
      EXPECT_EQ(kept.back().row(r).lse, kept[0].row(r).lse);
      for (int64_t j = 0; j < 77; ++j)
        EXPECT_EQ(kept.back().unscaled_weight(r, j), kept[0].unscaled_weight(r, j));
      for (int64_t c = 0; c < 8; ++c) EXPECT_EQ(kept.back().o(r)[c], kept[0].o(r)[c]);
    }
  }
}

TEST(AttentionBlock, HiddenAndDistantKeysWeighNothing) {
  const Workload workload = materialise(
      std::get<Case>(parse("attention seq_q=3 seq_k=70 head_dim=4 band_high=40 scores=noise")),
      Poison::large);
  const AttentionOracle oracle(workload);
  KeysAndValues kv = oracle.load(0, 0);
  double q[4], square = 0;
  oracle.query(0, 0, 0, q);
  for (const double x : q) square += x * x;
  for (size_t x = 0; x < 4; ++x) kv.k[40 * 4 + x] = -900 / (square * 0.25) * q[x];
  const BlockOperands operands(kv, false);
  AttentionBlock block;
  const RowId rows[] = {{0, 0}, {0, 2}};
  block.compute(oracle, operands, 0, rows, false);
  ASSERT_TRUE(block.row(0).plain);
  EXPECT_EQ(block.row(0).live, 41);
  EXPECT_FALSE(block.live(0, 42));
  EXPECT_EQ(block.unscaled_weight(0, 42), 0);
  EXPECT_TRUE(block.live(0, 40));
  EXPECT_EQ(block.unscaled_weight(0, 40), 0);
}

}  // namespace
}  // namespace oddtile::oracles
