// The bounds: known values, the directions in which they may move, and emulated kernels: right ones
// never leave them, wrong ones do. The worst shares are printed: a bound that is never used is too
// loose to be worth having.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "oracles/bounds/attention.h"
#include "oracles/bounds/emulation.h"
#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"
#include "oracles/bounds/softmax.h"

namespace oddtile::oracles {
namespace {

using emulation::Fault;
using emulation::Variant;

TEST(Kappa, KnownValues) {
  oddtile_profile fma = {};
  EXPECT_EQ(kappa(0, fma), 0);
  EXPECT_EQ(kappa(1, fma), 0);
  EXPECT_EQ(kappa(64, fma), 64);
  oddtile_profile ampere = {};
  ampere.mma_products = 16;
  ampere.mma_fraction_bits = 23;
  EXPECT_EQ(kappa(64, ampere), 4 * (17 * 2 + 2) - 2);  // 2.25 each; the first accumulator is 0
  EXPECT_EQ(kappa(17, ampere), (17 * 2 + 2) + (2 * 2 + 2) - 2);
  oddtile_profile hopper = ampere;
  hopper.mma_fraction_bits = 25;
  EXPECT_EQ(kappa(16, hopper), 16 * 0.5 + 2);
}

TEST(Kappa, OfValuesCountsGroupsThatHoldLiveKeys) {
  oddtile_profile profile = {};
  profile.tile_columns = 32;
  profile.mma_products = 16;
  profile.mma_fraction_bits = 24;
  profile.weight_dtype = oddtile_fp16;
  const int64_t one[] = {5}, spread[] = {0, 16, 40};
  EXPECT_EQ(kappa_values(one, profile), 0);
  // Tile 0: two keys, two groups; tile 1: one of each.
  EXPECT_EQ(kappa_values(spread, profile), (2 + 2) + 2 * 2 + (1 + 1) + 2);
}

TEST(SumDepth, TilesAndLanes) {
  oddtile_profile profile = {};
  EXPECT_EQ(sum_depth(130, profile), 130);
  profile.sum_lanes = 4;
  EXPECT_EQ(sum_depth(130, profile), 33 + 2);
  profile.tile_columns = 64;
  EXPECT_EQ(sum_depth(130, profile), 16 + 16 + 2 + 2);  // two columns may share a lane
  std::vector<int64_t> keys;
  for (int64_t j = 0; j < 130; ++j) keys.push_back(j);
  EXPECT_EQ(sum_depth(keys, profile), sum_depth(130, profile));
  EXPECT_EQ(tiles_touched(keys, profile), 3);
  EXPECT_EQ(tiles_touched(std::span(keys).subspan(63, 2), profile), 2);
}

TEST(Profile, GenerosityIsRefused) {
  const Variant variant;
  const auto refused = [](oddtile_profile profile) {
    return too_generous(profile, oddtile_fp16, oddtile_kernel_attention);
  };
  EXPECT_EQ(refused(variant.profile()), "");
  EXPECT_EQ(refused({}), "");
  const auto with = [&](auto change) {
    oddtile_profile profile = variant.profile();
    change(profile);
    return refused(profile);
  };
  EXPECT_NE(with([](auto& p) { p.exp2_error = 1e-3; }).find("exp2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.exp2_error = NAN; }).find("exp2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.log2_error = -1; }).find("log2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.division_error_u = 100; }), "");
  EXPECT_NE(with([](auto& p) { p.extra_frame_u = 2; }), "");
  EXPECT_NE(with([](auto& p) { p.lazy_threshold_log2 = 20; }), "");
  EXPECT_NE(with([](auto& p) { p.mma_products = 16, p.mma_fraction_bits = 10; }), "");
  EXPECT_NE(with([](auto& p) { p.weight_dtype = oddtile_bf16; }), "");
}

// One random row and everything the bound wants to know of it.
struct Problem {
  emulation::Row row;
  KeysAndValues kv;
  std::vector<double> q;
  std::vector<int64_t> visible;
};

enum class Family { noise, level, deep, rising, falling, last_max, peaked, huge_terms, one_key };
constexpr int kFamilies = 9;

float target_score(Family family, int64_t j, int64_t keys, Random& random) {
  switch (family) {
    case Family::level:
      return -200;
    case Family::deep:
      return -60000 + float(random.below(8));
    case Family::rising:
      return -200 + 3.5f * float(j);
    case Family::falling:
      return 100 - 3.5f * float(j);
    case Family::last_max:
      return j == keys - 1 ? 30 : float(random.below(16));
    case Family::peaked:
      return random.below(8) == 0 ? 12 : -12;
    default:
      return 0;
  }
}

Problem make(Family family, const Variant& variant, Random& random) {
  Problem problem;
  const int64_t keys = family == Family::one_key ? 1 : random.between(1, 150);
  const int64_t dim = random.between(1, 80), columns = 3;
  const float scales[] = {1.0f / std::sqrt(float(dim)), 1, -0.37f};
  problem.row.scale = scales[random.below(3)];
  const float amplitude = family == Family::huge_terms ? 100.0f : 1.0f;
  const auto draw = [&] { return emulation::cast(float(random.normal()), variant.dtype); };
  for (int64_t x = 0; x < dim; ++x)
    problem.row.q.push_back(emulation::cast(amplitude * draw(), variant.dtype));
  problem.row.q[0] = family == Family::huge_terms ? 0 : 2;
  const bool one_hot = random.below(3) == 0;
  for (int64_t j = 0; j < keys; ++j) {
    std::vector<float> k, v;
    for (int64_t x = 0; x < dim; ++x) k.push_back(draw());
    k[0] = emulation::cast(target_score(family, j, keys, random) / 2 / problem.row.scale,
                           variant.dtype);
    if (!std::isfinite(k[0])) k[0] = 0;
    for (int64_t c = 0; c < columns; ++c)
      v.push_back(one_hot ? float(j % columns == c) : draw() + (c == 2 ? 100.0f : 0.0f));
    for (float& value : v) value = emulation::cast(value, variant.dtype);
    problem.row.k.push_back(k);
    problem.row.v.push_back(v);
    problem.visible.push_back(j);
  }
  problem.q.assign(problem.row.q.begin(), problem.row.q.end());
  return problem;
}

// The bound's view: K rows of head_dim, V rows padded or cut to the same number of columns. V has
// three columns here, so K and Q are given them as a prefix of zeros where head_dim is smaller.
void dense(Problem& problem) {
  const size_t dim = std::max<size_t>(problem.q.size(), 3);
  problem.q.resize(dim, 0.0);
  problem.row.q.resize(dim, 0.0f);
  problem.kv.keys = int64_t(problem.row.k.size());
  problem.kv.head_dim = int64_t(dim);
  for (size_t j = 0; j < problem.row.k.size(); ++j) {
    problem.row.k[j].resize(dim, 0.0f);
    std::vector<float> v = problem.row.v[j];
    v.resize(dim, 0.0f);
    problem.kv.k.insert(problem.kv.k.end(), problem.row.k[j].begin(), problem.row.k[j].end());
    problem.kv.v.insert(problem.kv.v.end(), v.begin(), v.end());
  }
}

Variant random_variant(Random& random) {
  Variant variant;
  variant.dtype = random.below(2) ? oddtile_fp16 : oddtile_bf16;
  variant.tile = random.below(2) ? 16 : 64;
  variant.backward = random.below(2);
  variant.lanes = random.below(2) ? 4 : 1;
  if (random.below(3) != 0) {
    variant.products = 16;
    variant.fraction_bits = random.below(2) ? 23 : 25;
  }
  variant.difference = random.below(3) == 0;
  variant.scaled_first = random.below(4) == 0;
  variant.exp_error_sign = int(random.below(3)) - 1;
  if (random.below(4) == 0) {
    variant.normalised = true;
    variant.tile = 1024;
  } else if (random.below(4) == 0) {
    variant.lazy = 8;
  }
  return variant;
}

struct Shares {
  double o = 0, lse = 0;
};

Shares shares_of(const Problem& problem, const Variant& variant, uint64_t seed) {
  AttentionRow exact;
  AttentionBound bound;
  attention_row(problem.kv, problem.q, double(problem.row.scale), problem.visible,
                Precision::standard, exact);
  bound_attention(exact, problem.kv, double(problem.row.scale), variant.profile(), variant.dtype,
                  bound);
  const emulation::Result got = emulation::attention(problem.row, variant, seed);
  Shares shares;
  for (size_t c = 0; c < got.o.size(); ++c) {
    const double share = std::fabs(got.o[c] - exact.o[c]) / bound.o[c];
    shares.o =
        share > shares.o || std::isnan(share) ? (std::isnan(share) ? kNever : share) : shares.o;
  }
  shares.lse = std::fabs(got.lse - exact.lse) / bound.lse;
  if (std::isnan(shares.lse)) shares.lse = kNever;
  return shares;
}

TEST(AttentionBound, RightKernelsStayInside) {
  Random random(1);
  std::map<std::string, Shares> worst;
  for (int round = 0; round < 6000; ++round) {
    const Variant variant = random_variant(random);
    const Family family = Family(random.below(kFamilies));
    Problem problem = make(family, variant, random);
    dense(problem);
    const Shares shares = shares_of(problem, variant, random.next());
    ASSERT_LE(shares.o, 1) << "round " << round << " family " << int(family);
    ASSERT_LE(shares.lse, 1) << "round " << round << " family " << int(family);
    Shares& most = worst[fmt::format("{} family {}",
                                     variant.dtype == oddtile_fp16 ? "fp16" : "bf16", int(family))];
    most.o = std::max(most.o, shares.o);
    most.lse = std::max(most.lse, shares.lse);
  }
  for (const auto& [name, shares] : worst)
    fmt::print("worst share {}: O {:.3f}, LSE {:.3f}\n", name, shares.o, shares.lse);
}

TEST(AttentionBound, WrongKernelsLeaveIt) {
  const std::pair<Fault, const char*> faults[] = {
      {Fault::drops_last_key, "drops the last key"},
      {Fault::drops_first_of_second_tile, "drops the first key of the second tile"},
      {Fault::omits_rescale_of_output, "omits the rescale of the output"},
      {Fault::omits_rescale_of_sum, "omits the rescale of the sum"},
      {Fault::exp_without_log2e, "exp2 without log2 e"},
      {Fault::lse_in_base_2, "LSE in base 2"},
      {Fault::sum_of_rounded_weights_in_16_bit, "adds rounded weights"},
      {Fault::scale_squared, "scale applied twice"}};
  for (const auto& [fault, name] : faults) {
    Random random(2);
    int caught = 0, first = 0;
    constexpr int rounds = 400;
    for (int round = 1; round <= rounds; ++round) {
      Variant variant = random_variant(random);
      variant.normalised = false;
      variant.tile = 16;
      variant.lazy = 0;
      Problem problem = make(Family(random.below(kFamilies)), variant, random);
      dense(problem);
      variant.fault = fault;
      const Shares shares = shares_of(problem, variant, random.next());
      const bool seen = !(shares.o <= 1) || !(shares.lse <= 1);
      caught += seen;
      if (seen && first == 0) first = round;
    }
    fmt::print("{}: seen in {} of {} rows, first in row {}\n", name, caught, rounds, first);
    EXPECT_GT(caught, 0) << name;
  }
}

TEST(SoftmaxBound, RightKernelsStayInsideAndWrongOnesDoNot) {
  Random random(3);
  double worst[3] = {0, 0, 0};
  std::map<Fault, int> caught;
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    Variant variant = random_variant(random);
    variant.normalised = false;
    variant.lazy = 0;
    variant.dtype = oddtile_dtype(random.below(3));
    const int64_t n = random.between(1, 400);
    const float centre = std::array{0.0f, -200.0f, -6e4f, 100.0f}[random.below(4)];
    const float step = random.below(3) == 0 ? 0.25f : 0.0f;
    std::vector<float> x;
    for (int64_t j = 0; j < n; ++j)
      x.push_back(
          emulation::cast(centre + float(random.normal()) * 3 + step * float(j), variant.dtype));
    SoftmaxRow exact;
    SoftmaxBound bound;
    softmax_row(std::vector<double>(x.begin(), x.end()), nullptr, Precision::standard, exact);
    bound_softmax(exact, variant.profile(), variant.dtype, bound);
    ASSERT_FALSE(bound.trivial);
    const auto share = [&] {
      const std::vector<double> y = emulation::softmax(x, variant, uint64_t(round));
      double most = 0;
      for (size_t c = 0; c < y.size(); ++c)
        most = std::max(most, std::fabs(y[c] - exact.weight[c]) / bound.error[c]);
      return most;
    };
    const double right = share();
    ASSERT_LE(right, 1) << "round " << round;
    worst[variant.dtype] = std::max(worst[variant.dtype], right);
    if (n < 2) continue;
    for (const Fault fault :
         {Fault::exp_without_log2e, Fault::omits_rescale_of_sum, Fault::mixes_frames}) {
      variant.fault = fault;
      caught[fault] += !(share() <= 1);
    }
  }
  fmt::print("worst share of softmax: fp32 {:.3f}, fp16 {:.3f}, bf16 {:.3f}\n", worst[0], worst[1],
             worst[2]);
  fmt::print("seen in {} rows: exp2 without log2 e {}, no rescale {}, mixed frames {}\n", rounds,
             caught[Fault::exp_without_log2e], caught[Fault::omits_rescale_of_sum],
             caught[Fault::mixes_frames]);
  EXPECT_GT(caught[Fault::exp_without_log2e], rounds / 2);
  EXPECT_GT(caught[Fault::omits_rescale_of_sum], rounds / 8);
  EXPECT_GT(caught[Fault::mixes_frames], rounds / 32);
}

// What a bound may depend on, and in which direction.
TEST(AttentionBound, GrowsWithWhatItIsToldToAllow) {
  Random random(4);
  for (int round = 0; round < 50; ++round) {
    const Variant variant = random_variant(random);
    Problem problem = make(Family::noise, variant, random);
    dense(problem);
    AttentionRow exact;
    attention_row(problem.kv, problem.q, double(problem.row.scale), problem.visible,
                  Precision::standard, exact);
    const auto bound = [&](auto change) {
      oddtile_profile profile = variant.profile();
      change(profile);
      AttentionBound result;
      bound_attention(exact, problem.kv, double(problem.row.scale), profile, variant.dtype, result);
      return result;
    };
    const AttentionBound plain = bound([](auto&) {});
    const auto larger = [&](auto change) {
      const AttentionBound wide = bound(change);
      EXPECT_GE(wide.lse, plain.lse);
      for (size_t c = 0; c < 3; ++c) EXPECT_GE(wide.o[c], plain.o[c]);
    };
    larger([](auto& p) { p.exp2_error *= 2; });
    larger([](auto& p) { p.log2_error *= 2; });
    larger([](auto& p) { p.extra_frame_u = 1; });
    larger([](auto& p) { p.lazy_threshold_log2 += 1; });
    larger([](auto& p) { p.weight_dtype = oddtile_bf16; });
    if (variant.products > 0) larger([](auto& p) { p.mma_fraction_bits -= 1; });
  }
}

// Scores so far apart or so uncertain that exp overflows: B2 alone holds, nothing is NaN.
TEST(AttentionBound, StaysFiniteAtTheExtremes) {
  for (const double size : {1e4, 1e10, 1e30}) {
    KeysAndValues kv;
    kv.keys = 2;
    kv.head_dim = 2;
    kv.k = {size, -size, size, size};
    kv.v = {1, 2, -3, 4};
    const double q[] = {size, size};
    const int64_t visible[] = {0, 1};
    AttentionRow exact;
    attention_row(kv, q, 1, visible, Precision::wide, exact);
    AttentionBound bound;
    bound_attention(exact, kv, 1, Variant().profile(), oddtile_bf16, bound);
    for (const double b : bound.o) EXPECT_TRUE(b > 0 && b < 20) << b;
    EXPECT_TRUE(bound.lse > 0);
    EXPECT_EQ(in_domain(exact, 1.0), size < 1e15);
  }
}

}  // namespace
}  // namespace oddtile::oracles
