// Emulated kernels: right ones never leave the bounds, wrong ones do. The worst shares are printed:
// a bound that is never used is too loose to be worth having.
#include "oracles/bounds/attention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "oracles/bounds/emulated_kernels.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

using emulation::Fault;
using emulation::random_variant;
using emulation::Variant;

// One random row and everything the bound wants to know of it.
struct Problem {
  emulation::Row row;
  KeysAndValues kv;
  std::vector<double> q;
  std::vector<int64_t> visible;
};

enum class Family {
  noise,
  level,
  deep,
  rising,
  falling,
  last_max,
  peaked,
  huge_terms,
  one_key,
  subnormal,
  giant
};
constexpr int kFamilies = 11;
constexpr const char* kNames[kFamilies] = {"noise",   "level",     "deep",   "rising",
                                           "falling", "last max",  "peaked", "huge terms",
                                           "one key", "subnormal", "giant"};

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
  const int64_t dim = random.below(4) == 0 ? 1 : random.between(1, 80), columns = 3;
  const float scales[] = {1.0f / std::sqrt(float(dim)), 1, -0.37f, 0x1p-20f};
  problem.row.scale = scales[random.below(4)];
  const float amplitude = family == Family::huge_terms ? 100.0f
                          : family == Family::giant    ? 8000.0f
                                                       : 1.0f;
  const auto draw = [&] { return emulation::cast(float(random.normal()), variant.dtype); };
  for (int64_t x = 0; x < dim; ++x)
    problem.row.q.push_back(emulation::cast(amplitude * draw(), variant.dtype));
  problem.row.q[0] = amplitude > 1 && dim > 1 ? 0 : 2;
  const bool one_hot = random.below(3) == 0;
  for (int64_t j = 0; j < keys; ++j) {
    std::vector<float> k, v;
    for (int64_t x = 0; x < dim; ++x) k.push_back(draw());
    k[0] = emulation::cast(target_score(family, j, keys, random) / 2 / problem.row.scale,
                           variant.dtype);
    if (!std::isfinite(k[0])) k[0] = 0;
    for (int64_t c = 0; c < columns; ++c)
      v.push_back(one_hot ? float(j % columns == c)
                          : draw() * (c == 1 && j > 0 ? 1000.0f : 1.0f) + (c == 2 ? 100.0f : 0.0f));
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

struct Shares {
  double o = 0, lse = 0;
  bool hull = false;  // T_l >= 1/2
  double o_net = 0;   // without the rounding of the output itself, of the rest of the bound
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
    const double error = std::fabs(got.o[c] - exact.o[c]);
    const double share = std::isnan(error) ? kNever : error / bound.o[c];
    const double rounding =
        unit_roundoff(variant.dtype) * std::fabs(exact.o[c]) + subnormal_roundoff(variant.dtype);
    shares.o = std::max(shares.o, share);
    shares.o_net = std::max(shares.o_net, (error - rounding) / (bound.o[c] - rounding));
  }
  shares.hull = !(bound.weights.loss < 0.5);
  shares.lse = std::fabs(got.lse - exact.lse) / bound.lse;
  if (std::isnan(shares.lse)) shares.lse = kNever;
  return shares;
}

TEST(AttentionBound, RightKernelsStayInside) {
  Random random(1);
  std::map<std::string, Shares> worst;
  int hulls = 0;
  for (int round = 0; round < 6000; ++round) {
    const Variant variant = random_variant(random);
    const Family family = Family(random.below(kFamilies));
    Problem problem = make(family, variant, random);
    dense(problem);
    const Shares shares = shares_of(problem, variant, random.next());
    ASSERT_LE(shares.o, 1) << "round " << round << " " << kNames[int(family)];
    ASSERT_LE(shares.lse, 1) << "round " << round << " " << kNames[int(family)];
    const char* type = variant.dtype == oddtile_fp16 ? "fp16" : "bf16";
    Shares& most = worst[fmt::format("{} {}", type, kNames[int(family)])];
    most.o = std::max(most.o, shares.o);
    most.o_net = std::max(most.o_net, shares.o_net);
    most.lse = std::max(most.lse, shares.lse);
    hulls += shares.hull;
  }
  for (const auto& [name, shares] : worst)
    fmt::print("worst share {}: O {:.3f} (net of output rounding {:.3f}), LSE {:.3f}\n", name,
               shares.o, shares.o_net, shares.lse);
  fmt::print("{} rows have the hull's bound alone\n", hulls);
  EXPECT_GT(hulls, 50);
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
