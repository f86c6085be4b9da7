#include "reports/cli/soundness_entry.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

using properties::Cell;

constexpr Cell kAttention = {oddtile_kernel_attention, oddtile_bf16};
constexpr Cell kAdd = {oddtile_kernel_vector_add, oddtile_fp16};

properties::SearchState state() {
  properties::SearchState state;
  state.machine = "cuda";
  state.seed = 7;
  state.cells[kAttention] = {3, 12};
  state.cells[kAdd] = {0, 0};
  state.totals[{kAttention, "eager"}] = {3, 1, 2, 12, 4, 5, 0.75};
  state.quantities[{kAttention, "eager", "lse"}] = {5, 1, 0.5, {false, false, true}, {"peaked"}};
  state.quantities[{kAttention, "fused", "lse"}] = {2, 0, 0.625, {true, false, false}, {"noise"}};
  state.worst[{kAttention, "eager", "lse", 2, "peaked"}] = {0.25, "oddtile run 'attention'"};
  state.climbs[{kAttention, "fused", "o"}] = {100, 0.125, 0.5, 1, 9, "pipelined", "attention c"};
  state.violations = {"V"};
  return state;
}

TEST(SoundnessEntry, has_all_that_the_search_kept) {
  const SoundnessEntry entry = soundness_entry(state(), 12, true);
  EXPECT_EQ(entry.machine, "cuda");
  EXPECT_EQ(entry.seed, 7);
  EXPECT_EQ(entry.wanted, 12);
  EXPECT_TRUE(entry.complete);
  EXPECT_EQ(entry.violations, std::vector<std::string>{"V"});
  ASSERT_EQ(entry.cells.size(), 2u);
  const SoundnessCell& add = entry.cells[0];
  EXPECT_EQ(add.kernel + " " + add.dtype, "vector_add fp16");
  EXPECT_TRUE(add.contenders.empty());  // touched, but nothing was judged: a finding
  ASSERT_EQ(add.quantities.size(), 1u);
  EXPECT_EQ(add.quantities[0].name, "out");
}

TEST(SoundnessEntry, sorts_shares_and_climbs_to_their_outputs) {
  const SoundnessCell attention = soundness_entry(state(), 12, true).cells[1];
  EXPECT_EQ(attention.kernel + " " + attention.dtype, "attention bf16");
  ASSERT_EQ(attention.contenders.size(), 1u);
  EXPECT_EQ(attention.contenders[0].declined, 2);
  EXPECT_EQ(attention.contenders[0].worst_share, 0.75);
  ASSERT_EQ(attention.quantities.size(), 2u);
  const SoundnessQuantity &o = attention.quantities[0], &lse = attention.quantities[1];
  EXPECT_EQ(o.judged, 0);
  EXPECT_TRUE(o.regimes->empty());
  EXPECT_EQ(lse.judged, 7);
  EXPECT_EQ(lse.worst_share, 0.625);
  EXPECT_EQ(*lse.regimes, (std::vector<std::string>{"n <= 16", "n > 256"}));
  EXPECT_EQ(*lse.families, (std::vector<std::string>{"noise", "peaked"}));
  EXPECT_TRUE(o.shares.empty());
  EXPECT_TRUE(lse.climbs.empty());
  ASSERT_EQ(lse.shares.size(), 1u);
  EXPECT_EQ(lse.shares[0].regime, "n > 256");
  EXPECT_EQ(lse.shares[0].replay, "oddtile run 'attention'");
  ASSERT_EQ(o.climbs.size(), 1u);
  EXPECT_EQ(o.climbs[0].regime, "n <= 256");
  EXPECT_EQ(o.climbs[0].changes, 9);
  EXPECT_EQ(o.climbs[0].replay,
            "oddtile soundness --machine cuda --kernel attention --seed 7 --outputs 0 --climb 100");
}

}  // namespace
}  // namespace oddtile::reports
