// Right kernels stay within the statistical form in thousands of rows; wrong ones that the rigorous
// bound lets pass, because their bias is smaller than a worst case, leave it.
#include "oracles/bounds/statistical.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/bounds/emulated_kernels.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

using emulation::Variant;

constexpr int64_t kColumns = 16;  // head_dim, of V too
constexpr double kDelta = 1e-9;

struct Problem {
  emulation::Row row;
  KeysAndValues kv;
  std::vector<double> q;
  std::vector<int64_t> visible;
};

// Scores of several shapes: noise, equal, two values, a few keys in front, on a level of -100.
enum class Shape { noise, equal, ties, peaked, level };
constexpr int kShapes = 5;

Problem make(Shape shape, int64_t keys, oddtile_dtype dtype, Random& random) {
  Problem p;
  p.row.scale = 0.25f;
  const double noise = shape == Shape::noise ? 1 : shape == Shape::level ? 0.2 : 0;
  const auto cast = [&](double value) { return emulation::cast(float(value), dtype); };
  const double centre = random.below(2) == 0 ? 0 : 1;  // V of both signs, or mostly of one
  for (int64_t x = 0; x < kColumns; ++x) p.row.q.push_back(x == 0 ? 4 : cast(random.normal()));
  p.kv.keys = keys;
  p.kv.head_dim = kColumns;
  for (int64_t j = 0; j < keys; ++j) {
    std::vector<float> k, v;
    for (int64_t x = 0; x < kColumns; ++x) k.push_back(cast(noise * random.normal()));
    if (shape == Shape::ties) k[0] = random.below(2) == 0 ? 0 : -1.25f;
    if (shape == Shape::peaked) k[0] = random.below(16) == 0 ? 3 : cast(0.1 * random.normal());
    if (shape == Shape::level) k[0] = cast(-100);
    for (int64_t x = 0; x < kColumns; ++x) v.push_back(cast(centre + 0.5 * random.normal()));
    p.kv.k.insert(p.kv.k.end(), k.begin(), k.end());
    p.kv.v.insert(p.kv.v.end(), v.begin(), v.end());
    p.row.k.push_back(std::move(k));
    p.row.v.push_back(std::move(v));
    p.visible.push_back(j);
  }
  p.q.assign(p.row.q.begin(), p.row.q.end());
  return p;
}

struct Shares {
  double rigorous = 0, statistical = 0;
  double gain = 0;  // rigorous bound over the statistical one, of column 0
};

Shares shares_of(const Problem& p, const emulation::Result& got, const Variant& variant,
                 double lambda) {
  AttentionRow exact;
  AttentionBound bound;
  StatisticalBound statistical;
  attention_row(p.kv, p.q, double(p.row.scale), p.visible, Precision::standard, exact);
  bound_attention(exact, p.kv, double(p.row.scale), variant.profile(), variant.dtype, bound);
  statistical_bound(exact, p.kv, variant.profile(), variant.dtype, bound, lambda, statistical);
  Shares shares;
  const auto add = [&](double error, double rigorous, double other) {
    EXPECT_LE(other, rigorous);
    shares.rigorous = std::max(shares.rigorous, std::fabs(error) / rigorous);
    shares.statistical = std::max(shares.statistical, std::fabs(error) / other);
  };
  for (size_t c = 0; c < got.o.size(); ++c)
    add(got.o[c] - exact.o[c], bound.o[c], statistical.o[c]);
  add(got.lse - exact.lse, bound.lse, statistical.lse);
  shares.gain = bound.o[0] / statistical.o[0];
  return shares;
}

TEST(StatisticalBound, FactorIsHoeffdings) {
  EXPECT_EQ(float(hoeffding_factor(1, 2 * std::exp(-8.0))), 4.0f);
  EXPECT_EQ(int(10 * hoeffding_factor(8192, 1e-9)), 78);
}

TEST(StatisticalBound, RightKernelsStayInside) {
  Random random(11);
  constexpr int rows = 2000;
  const double lambda = hoeffding_factor(rows * (kColumns + 1), kDelta);
  double worst[kShapes] = {}, gain[kShapes] = {};
  for (int round = 0; round < rows; ++round) {
    const Variant variant = emulation::random_variant(random);
    const Shape shape = Shape(random.below(kShapes));
    const Problem problem = make(shape, random.between(64, 500), variant.dtype, random);
    const auto got = emulation::attention(problem.row, variant, random.next());
    const Shares shares = shares_of(problem, got, variant, lambda);
    ASSERT_LE(shares.statistical, 1) << "round " << round << ", shape " << int(shape);
    worst[int(shape)] = std::max(worst[int(shape)], shares.statistical);
    gain[int(shape)] = std::max(gain[int(shape)], shares.gain);
  }
  for (int shape = 0; shape < kShapes; ++shape)
    fmt::print(
        "shape {}: worst share of the statistical form {:.3f}, at most {:.2f} times as "
        "sharp\n",
        shape, worst[shape], gain[shape]);
}

// A unit that rounds to nearest has no direction, so that its form is sharper than half of what a
// truncating one leaves, which is all that the rigorous bound says.
TEST(StatisticalBound, RoundingAveragesOutAndTruncationDoesNot) {
  Random random(3);
  Variant variant;
  variant.products = 16;
  variant.fraction_bits = 20;  // so that sums count for much
  const Problem problem = make(Shape::level, 400, variant.dtype, random);
  AttentionRow row;
  attention_row(problem.kv, problem.q, double(problem.row.scale), problem.visible,
                Precision::standard, row);
  AttentionBound rigorous[2];
  StatisticalBound statistical[2];
  for (const bool rounds : {false, true}) {
    variant.rounds = rounds;
    bound_attention(row, problem.kv, double(problem.row.scale), variant.profile(), variant.dtype,
                    rigorous[rounds]);
    statistical_bound(row, problem.kv, variant.profile(), variant.dtype, rigorous[rounds], 7,
                      statistical[rounds]);
  }
  EXPECT_GT(rigorous[1].lse, 0.4 * rigorous[0].lse);
  EXPECT_LT(statistical[1].lse, 0.3 * statistical[0].lse);
  EXPECT_LT(statistical[1].o[0], 0.7 * statistical[0].o[0]);
}

// A right kernel of one tile in fp32, but for how it rounds P and what it adds in.
template <class RoundP, class RoundSum>
emulation::Result biased(const Problem& p, oddtile_dtype dtype, RoundP&& round_p,
                         RoundSum&& round_sum) {
  std::vector<float> scores;
  for (const auto& k : p.row.k) {
    float s = 0;
    for (size_t x = 0; x < k.size(); ++x) s = std::fma(p.row.q[x], k[x], s);
    scores.push_back(s);
  }
  const float c = p.row.scale * 1.44269504f;
  const float frame = *std::max_element(scores.begin(), scores.end()) * c;
  float sum = 0;
  std::vector<float> o(size_t(kColumns), 0.0f);
  for (size_t j = 0; j < scores.size(); ++j) {
    const float w = float(std::exp2(double(std::fma(scores[j], c, -frame))));
    sum += w;
    for (size_t x = 0; x < o.size(); ++x)
      o[x] = round_sum(std::fma(round_p(w), p.row.v[j][x], o[x]));
  }
  emulation::Result result;
  for (const float value : o) result.o.push_back(emulation::cast(value / sum, dtype));
  result.lse = double((frame + std::log2(sum)) * 0.693147181f);
  return result;
}

float toward_zero(float value, oddtile_dtype dtype) {
  const uint32_t kept = dtype == oddtile_fp16 ? 0xFFFFE000u : 0xFFFF0000u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & kept);
}

struct Seen {
  int rigorous = 0, statistical = 0, rows = 0;
};

// How many rows of mild noise leave either form.
template <class Kernel>
Seen seen(int64_t keys, oddtile_dtype dtype, Kernel&& kernel) {
  Random random(5);
  Variant variant;
  variant.dtype = dtype;
  variant.tile = 2048;
  constexpr int rows = 40;
  const double lambda = hoeffding_factor(rows * (kColumns + 1), kDelta);
  Seen result;
  for (; result.rows < rows; ++result.rows) {
    const Problem problem = make(Shape::level, keys, dtype, random);
    const Shares shares = shares_of(problem, kernel(problem), variant, lambda);
    result.rigorous += shares.rigorous > 1;
    result.statistical += shares.statistical > 1;
  }
  return result;
}

TEST(StatisticalBound, SeesBiasThatTheRigorousBoundLetsPass) {
  const auto exactly = [](float value) { return value; };
  for (const oddtile_dtype dtype : {oddtile_fp16, oddtile_bf16}) {
    const char* type = dtype == oddtile_fp16 ? "fp16" : "bf16";
    const auto nearest = [&](float w) { return emulation::cast(w, dtype); };
    const auto truncated = [&](float w) { return toward_zero(w, dtype); };
    const Seen right =
        seen(1500, dtype, [&](const Problem& p) { return biased(p, dtype, nearest, exactly); });
    EXPECT_EQ(right.statistical, 0);
    const Seen wrong =
        seen(1500, dtype, [&](const Problem& p) { return biased(p, dtype, truncated, exactly); });
    fmt::print(
        "{}, 1500 keys, P rounded toward zero: {} of {} rows suspect, {} outside the bound\n", type,
        wrong.statistical, wrong.rows, wrong.rigorous);
    EXPECT_EQ(wrong.rigorous, 0);
    EXPECT_GT(wrong.statistical, 5);
    const Seen narrow = seen(100, dtype, [&](const Problem& p) {
      return biased(p, dtype, nearest, nearest);  // an accumulator of 16 bits
    });
    fmt::print("{}, 100 keys, sums in 16 bits: {} of {} rows suspect, {} outside the bound\n", type,
               narrow.statistical, narrow.rows, narrow.rigorous);
    EXPECT_GE(narrow.statistical, narrow.rigorous);
  }
}

}  // namespace
}  // namespace oddtile::oracles
