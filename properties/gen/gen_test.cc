// The generators and shrinkers, tested as if they were the product.
#include "properties/gen/gen.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "oracles/case/fields.h"
#include "oracles/case/sizes.h"
#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

constexpr oddtile_kernel kKernels[] = {oddtile_kernel_vector_add, oddtile_kernel_softmax,
                                       oddtile_kernel_attention};
constexpr int kDraws = 2000;

Case generated(oddtile_kernel kernel, uint64_t seed, int size = 100) {
  return any_case(kernel)(rc::Random(seed), size).value();
}

TEST(Gen, EveryCaseIsPossibleSmallAndRoundTrips) {
  for (oddtile_kernel kernel : kKernels) {
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      const Case subject = generated(kernel, seed);
      ASSERT_EQ(impossible(subject), "") << print(subject);
      ASSERT_EQ(subject.kernel(), kernel);
      ASSERT_LE(work_of(subject), kSmallWork) << print(subject);
      const auto again = parse(print(subject));
      ASSERT_TRUE(std::get<Case>(again) == subject) << print(subject);
    }
  }
}

TEST(Gen, TheSameSeedGivesTheSameCase) {
  EXPECT_TRUE(generated(oddtile_kernel_attention, 7) == generated(oddtile_kernel_attention, 7));
  EXPECT_FALSE(generated(oddtile_kernel_attention, 7) == generated(oddtile_kernel_attention, 8));
}

// Every enumerator of every field, as "field=name".
struct CountEnumerators {
  std::map<std::string, int>& counts;
  void operator()(std::string_view, int64_t&, Domain) {}
  void operator()(std::string_view, double&) {}
  template <class Enum>
  void operator()(std::string_view name, Enum& value, std::span<const std::string_view> names) {
    for (size_t index = 0; index < names.size(); ++index) {
      counts[std::string(name) + "=" + std::string(names[index])] += index == size_t(value);
    }
  }
};

TEST(Gen, EveryEnumeratorComesUp) {
  for (oddtile_kernel kernel : kKernels) {
    std::map<std::string, int> counts;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      Case subject = generated(kernel, seed);
      for_each_field(subject, CountEnumerators{counts});
    }
    if (kernel == oddtile_kernel_attention) {  // what is impossible there
      for (const char* never : {"dtype=fp32", "o_layout=broadcast", "o_layout=reversed"}) {
        EXPECT_EQ(counts[never], 0);
        counts.erase(never);
      }
    }
    if (kernel == oddtile_kernel_softmax) {
      for (const char* never : {"alias=y", "mask_layout=head_broadcast",
                                "mask_layout=column_broadcast", "mask_layout=transposed"}) {
        EXPECT_EQ(counts[never], 0);
        counts.erase(never);
      }
    }
    for (const auto& [name, count] : counts) {
      EXPECT_GT(count, 5) << kernel_name(kernel) << " " << name;
    }
  }
}

using Wanted = std::map<std::string, std::function<bool(const AttentionCase&)>>;

TEST(Gen, AttentionMeetsEveryInterestingClass) {
  const Wanted wanted = {
      {"plain",
       [](const AttentionCase& c) {
         return c.mask == MaskKind::none && c.band_high == kUnbounded && c.pad == 0 &&
                c.lengths == KeyLengths::none && c.band_low == -kUnbounded;
       }},
      {"decode", [](const AttentionCase& c) { return c.seq_q == 1 && c.seq_k > 64; }},
      {"no queries", [](const AttentionCase& c) { return c.seq_q == 0 && c.batch > 0; }},
      {"no keys", [](const AttentionCase& c) { return c.seq_k == 0 && c.seq_q > 0; }},
      {"no batch", [](const AttentionCase& c) { return c.batch == 0; }},
      {"one tile and one key", [](const AttentionCase& c) { return c.seq_k == 65 && c.seq_q > 0; }},
      {"one key short of a tile", [](const AttentionCase& c) { return c.seq_k == 63; }},
      {"more keys than queries, bottom right causal",
       [](const AttentionCase& c) {
         return c.seq_q > 0 && c.seq_k > c.seq_q && c.band_high == 0 &&
                c.anchor == oddtile_bottom_right;
       }},
      {"rows without keys",
       [](const AttentionCase& c) {
         return c.seq_q > c.seq_k && c.seq_k > 0 && c.band_high == 0 &&
                c.anchor == oddtile_bottom_right;
       }},
      {"window", [](const AttentionCase& c) { return c.band_high == 0 && c.band_low > -100; }},
      {"empty band", [](const AttentionCase& c) { return c.band_low > c.band_high; }},
      {"limit far outside", [](const AttentionCase& c) { return c.band_high == kUnbounded - 1; }},
      {"6/2 heads", [](const AttentionCase& c) { return c.heads_kv == 2 && c.group == 3; }},
      {"odd head size", [](const AttentionCase& c) { return c.head_dim % 8 != 0; }},
      {"head size 40", [](const AttentionCase& c) { return c.head_dim == 40; }},
      {"head size 96", [](const AttentionCase& c) { return c.head_dim == 96; }},
      {"large head size", [](const AttentionCase& c) { return c.head_dim == 256; }},
      {"scale 0", [](const AttentionCase& c) { return c.scale == 0; }},
      {"negative scale", [](const AttentionCase& c) { return c.scale < 0; }},
      {"k and v in different layouts",
       [](const AttentionCase& c) { return c.k_layout != c.v_layout; }},
      {"v off by one element", [](const AttentionCase& c) { return c.v_offset == 1; }},
      {"batch with different lengths",
       [](const AttentionCase& c) { return c.batch > 1 && c.lengths == KeyLengths::mixed; }},
      {"deep over two tiles",
       [](const AttentionCase& c) { return c.scores == Scores::deep && c.seq_k > 64; }},
      {"level and causal",
       [](const AttentionCase& c) { return c.scores == Scores::level && c.band_high == 0; }},
      {"without lse", [](const AttentionCase& c) { return c.lse == 0; }},
  };
  std::map<std::string, int> counts;
  int small = 0;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const Case subject = generated(oddtile_kernel_attention, seed);
    const auto& c = std::get<AttentionCase>(subject.problem);
    small += work_of(subject) <= kSmallWork / 6;
    for (const auto& [name, test] : wanted) counts[name] += test(c);
  }
  for (const auto& [name, test] : wanted) EXPECT_GT(counts[name], 0) << name;
  EXPECT_GT(small, kDraws * 3 / 4);
}

TEST(Gen, LengthsLieAtTileEdges) {
  for (oddtile_kernel kernel : kKernels) {
    std::map<int64_t, int> counts;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      const Case subject = generated(kernel, seed);
      if (const auto* a = std::get_if<VectorAddCase>(&subject.problem)) ++counts[a->n];
      if (const auto* b = std::get_if<SoftmaxCase>(&subject.problem)) ++counts[b->columns];
      if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) ++counts[c->seq_k];
    }
    for (int64_t length : {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
      EXPECT_GT(counts[length], 0) << kernel_name(kernel) << " " << length;
    }
  }
}

// Follows RapidCheck's own search: the first failing shrink, until none fails.
Case minimum(rc::Shrinkable<Case> start, const std::function<bool(const Case&)>& fails,
             int* steps) {
  for (;;) {
    auto shrinks = start.shrinks();
    bool found = false;
    while (auto candidate = shrinks.next()) {
      ++*steps;
      if (!fails(candidate->value())) continue;
      start = *candidate;
      found = true;
      break;
    }
    if (!found) return start.value();
  }
}

void expect_minimum(oddtile_kernel kernel, const std::function<bool(const Case&)>& fails,
                    const Case& expected) {
  int started = 0;
  for (uint64_t seed = 0; seed < 4000 && started < 25; ++seed) {
    auto start = any_case(kernel)(rc::Random(seed), 100);
    if (!fails(start.value())) continue;
    ++started;
    int steps = 0;
    const Case found = minimum(start, fails, &steps);
    ASSERT_EQ(print(found), print(expected)) << "from " << print(start.value());
    EXPECT_LT(steps, 1500) << print(start.value());
  }
  EXPECT_EQ(started, 25);
}

TEST(Shrinking, ReachesTheShortestFailingLength) {
  expect_minimum(oddtile_kernel_attention,
                 [](const Case& c) { return std::get<AttentionCase>(c.problem).seq_k > 65; },
                 {AttentionCase{.seq_k = 66}});
  expect_minimum(oddtile_kernel_softmax,
                 [](const Case& c) { return std::get<SoftmaxCase>(c.problem).columns >= 1025; },
                 {SoftmaxCase{.columns = 1025}});
}

TEST(Shrinking, KeepsTheFeatureThatMatters) {
  expect_minimum(oddtile_kernel_attention,
                 [](const Case& c) {
                   const auto& a = std::get<AttentionCase>(c.problem);
                   return a.band_high < 3 && a.seq_q >= 2 && a.seq_k > 16 && a.scale < 0.2;
                 },
                 {AttentionCase{.seq_q = 2, .seq_k = 17, .scale = 0.125, .band_high = 0}});
  expect_minimum(oddtile_kernel_vector_add,
                 [](const Case& c) {
                   const auto& a = std::get<VectorAddCase>(c.problem);
                   return a.alias != Alias::none && a.out_offset % 4 != 0 && a.n > 4;
                 },
                 {VectorAddCase{.n = 5, .x_offset = 1, .out_offset = 1, .alias = Alias::x}});
}

}  // namespace
}  // namespace oddtile::properties
