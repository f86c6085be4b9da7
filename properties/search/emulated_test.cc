// The emulation as a table: it must be right wherever the contract speaks, special values included,
// or a search would blame the bounds for it.
#include "properties/search/emulated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"
#include "properties/checks/checks.h"
#include "properties/gen/draw.h"

namespace oddtile::properties {
namespace {

void expect_right(oddtile_kernel kernel, int cases) {
  Random random(3);
  int64_t judged = 0;
  std::set<std::string> variants;
  for (int i = 0; i < cases; ++i) {
    oracles::Case subject = draw(kernel, random, 30'000);
    subject.configuration = i;
    const CheckResult result = check_case(subject, emulated(), sim_machine());
    ASSERT_TRUE(result.offered) << oracles::print(subject);
    ASSERT_NE(result.verdict, oracles::Verdict::fail) << result.report;
    for (const oracles::Quantity& quantity : result.judgement.quantities) judged += quantity.judged;
    variants.insert(result.profile.name);
  }
  fmt::print("{} outputs of {} variants\n", judged, variants.size());
  EXPECT_GT(judged, 10'000);
  EXPECT_GT(variants.size(), 48u);
}

TEST(emulated, softmax_holds_on_every_recipe) {
  expect_right(oddtile_kernel_softmax, 300);
}
TEST(emulated, attention_holds_on_every_recipe) {
  expect_right(oddtile_kernel_attention, 300);
}

TEST(emulated, variants_differ_in_every_liberty) {
  std::set<int64_t> tiles, lanes, products, fractions, signs;
  std::set<bool> difference, backward, scaled_first, normalised, flush, turns, lazy;
  for (int32_t id = 0; id < kEmulatedVariants; ++id) {
    const auto v = emulated_variant(id, oddtile_bf16);
    tiles.insert(v.tile);
    lanes.insert(v.lanes);
    products.insert(v.products);
    fractions.insert(v.products > 0 ? v.fraction_bits : 0);
    signs.insert(v.exp_error_sign);
    difference.insert(v.difference);
    backward.insert(v.backward);
    scaled_first.insert(v.scaled_first);
    normalised.insert(v.normalised);
    flush.insert(v.flush);
    turns.insert(v.exp_error_turn != 0);
    lazy.insert(v.lazy != 0);
  }
  EXPECT_EQ(tiles.size(), 3u);
  EXPECT_EQ(lanes.size(), 2u);
  EXPECT_EQ(products.size(), 2u);
  EXPECT_EQ(fractions.size(), 3u);
  EXPECT_EQ(signs.size(), 3u);
  for (const auto& both : {difference, backward, scaled_first, normalised, flush, turns, lazy})
    EXPECT_EQ(both.size(), 2u);
}

TEST(emulated, vector_add_is_not_offered) {
  const oracles::Case subject{oracles::VectorAddCase{.n = 5}};
  EXPECT_FALSE(check_case(subject, emulated(), sim_machine()).offered);
}

}  // namespace
}  // namespace oddtile::properties
