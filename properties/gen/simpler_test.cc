#include "properties/gen/simpler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/case/sizes.h"
#include "oracles/case/text.h"
#include "properties/gen/draw.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

TEST(Shrinking, EveryStepIsPossibleAndEveryChainEnds) {
  for (oddtile_kernel kernel :
       {oddtile_kernel_vector_add, oddtile_kernel_softmax, oddtile_kernel_attention}) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
      Random random(seed);
      Case subject = draw(kernel, random, kSmallWork);
      int steps = 0;
      for (auto candidates = simpler(subject); !candidates.empty(); ++steps) {
        for (const Case& candidate : candidates) {
          ASSERT_EQ(impossible(candidate), "");
          ASSERT_FALSE(candidate == subject);
        }
        subject = candidates[random.below(uint32_t(candidates.size()))];
        candidates = simpler(subject);
        ASSERT_LT(steps, 3000) << print(subject);
      }
    }
  }
}

TEST(Shrinking, ThePlainCaseIsTheEnd) {
  EXPECT_TRUE(simpler({VectorAddCase{}}).empty());
  EXPECT_TRUE(simpler({SoftmaxCase{}}).empty());
  EXPECT_TRUE(simpler({AttentionCase{}}).empty());
}

bool offers(const Case& subject, const Case& wanted) {
  const auto candidates = simpler(subject);
  return std::find(candidates.begin(), candidates.end(), wanted) != candidates.end();
}

TEST(Shrinking, TheBoldestStepComesFirst) {
  const Case subject = {AttentionCase{.heads_kv = 2,
                                      .seq_q = 5,
                                      .seq_k = 90,
                                      .band_high = 0,
                                      .mask = MaskKind::runs,
                                      .k_layout = Layout::bshd,
                                      .pad = 3},
                        2, 77, 5};
  EXPECT_TRUE(simpler(subject).front() == Case{AttentionCase({.seq_q = 5, .seq_k = 90})});
}

TEST(Shrinking, AnAliasedOutputFollowsItsInput) {
  EXPECT_TRUE(offers({VectorAddCase{.n = 3, .x_offset = 3, .out_offset = 3, .alias = Alias::x}},
                     {VectorAddCase{.n = 3, .alias = Alias::x}}));
  EXPECT_TRUE(offers({SoftmaxCase{.x_pad = 4, .y_pad = 4, .alias = Alias::x}},
                     {SoftmaxCase{.x_pad = 2, .y_pad = 2, .alias = Alias::x}}));
}

TEST(Shrinking, BandsWidenOrMoveToTheDiagonal) {
  const Case far = {AttentionCase{.band_high = kUnbounded - 1}};
  EXPECT_TRUE(offers(far, {AttentionCase{}}));
  EXPECT_TRUE(offers(far, {AttentionCase{.band_high = 0}}));
  EXPECT_TRUE(offers({AttentionCase{.band_low = -9}}, {AttentionCase{.band_low = -8}}));
}

// Where the first failing step of each round leads in the end.
uint64_t shrunk_schedule(uint64_t seed, bool (*fails)(uint64_t)) {
  Case subject = {VectorAddCase{}};
  subject.schedule = seed;
  for (;;) {
    const auto candidates = simpler(subject);
    const auto next = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const Case& c) { return fails(c.schedule); });
    if (next == candidates.end()) return subject.schedule;
    subject = *next;
  }
}

TEST(Shrinking, SchedulesEndAtThePoliciesThatMatter) {
  constexpr uint64_t kSeed = 1'234'567'890'123'456'848;
  EXPECT_EQ(shrunk_schedule(kSeed, [](uint64_t) { return true; }), 0u);
  EXPECT_EQ(shrunk_schedule(kSeed, [](uint64_t seed) { return seed % 10 == 8; }), 8u);
  EXPECT_EQ(shrunk_schedule(kSeed, [](uint64_t seed) { return seed / 10 % 10 == 4; }), 40u);
  EXPECT_EQ(shrunk_schedule(kSeed, [](uint64_t seed) { return seed / 10 % 100 == 84; }), 840u);
  EXPECT_EQ(shrunk_schedule(kSeed, [](uint64_t seed) { return seed % 10 != 0; }), 1u);
  const uint64_t luck = shrunk_schedule(kSeed, [](uint64_t seed) { return seed > 2'000'000; });
  EXPECT_EQ(luck % 1000, kSeed % 1000);
  EXPECT_LT(luck, 4'002'000u);
}

}  // namespace
}  // namespace oddtile::properties
