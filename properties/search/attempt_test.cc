#include "properties/search/attempt.h"

#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"
#include "properties/search/canary.h"

namespace oddtile::properties {
namespace {

TEST(drawer, gives_the_same_attempt_for_the_same_index_and_another_for_another) {
  for (const Cell& cell : all_cells()) {
    std::set<std::string> texts;
    for (int64_t index = 0; index < 50; ++index) {
      const Drawn once = draw_attempt(cell, 7, index, 4, 20'000);
      const Drawn again = draw_attempt(cell, 7, index, 4, 20'000);
      EXPECT_EQ(once.subject, again.subject);
      EXPECT_EQ(once.contender, again.contender);
      EXPECT_EQ(once.subject.kernel(), cell.kernel);
      std::visit([&](const auto& c) { EXPECT_EQ(c.dtype, cell.dtype); }, once.subject.problem);
      texts.insert(oracles::print(once.subject));
    }
    EXPECT_GT(texts.size(), 45u) << cell_name(cell);
    const Drawn other = draw_attempt(cell, 8, 0, 4, 20'000);
    EXPECT_NE(other.subject, draw_attempt(cell, 7, 0, 4, 20'000).subject);
  }
}

TEST(drawer, draws_every_contender_and_every_recipe) {
  for (const Cell& cell : all_cells()) {
    std::set<size_t> drawn;
    std::set<std::string> families;
    for (int64_t index = 0; index < 600; ++index) {
      const Drawn attempt = draw_attempt(cell, 1, index, 5, 5'000);
      drawn.insert(attempt.contender);
      families.insert(family_of(attempt.subject));
    }
    EXPECT_EQ(drawn.size(), 5u);
    EXPECT_EQ(families.size(), 17u) << cell_name(cell);
  }
}

TEST(contenders, are_more_than_one_and_all_answer) {
  for (const Cell& cell : all_cells()) {
    std::set<std::string> names;
    const std::vector<Contender> field = contenders(cell.kernel, sim_machine());
    for (const Contender& which : field) names.insert(which.name);
    EXPECT_GE(names.size(), cell.kernel == oddtile_kernel_vector_add ? 2u : 3u);
    for (size_t i = 0; i < field.size(); ++i) {
      Drawn drawn = draw_attempt(cell, 5, int64_t(i), field.size(), 1'000);
      drawn.contender = i;
      EXPECT_TRUE(attempt(drawn, field[i], sim_machine(), nullptr).offered) << field[i].name;
    }
  }
}

TEST(attempt, counts_what_was_judged_and_where_the_share_was_reached) {
  const Cell cell = {oddtile_kernel_softmax, oddtile_fp32};
  const Contender fused = {"fused", &right()};
  Drawn drawn;
  drawn.subject = {
      .problem = oracles::SoftmaxCase{.rows = 2, .columns = 100, .values = oracles::Values::noise}};
  const Attempt once = attempt(drawn, fused, sim_machine(), nullptr);
  EXPECT_EQ(once.violation, "");
  SearchState state;
  count_attempt(once, cell, fused, sim_machine(), &state);
  EXPECT_EQ(state.cells.at(cell).judged, 200);
  EXPECT_EQ(state.totals.at({cell, "fused"}).cases, 1);
  const QuantityTotal& y = state.quantities.at({cell, "fused", "y"});
  EXPECT_EQ(y.judged, 200);
  EXPECT_EQ(y.worst_share, state.totals.at({cell, "fused"}).worst_share);
  EXPECT_EQ(y.drawn, (std::array{false, true, false}));
  EXPECT_EQ(y.families, std::set<std::string>{"noise"});
  ASSERT_EQ(state.worst.size(), 1u);
  const Place place = state.worst.begin()->first;
  EXPECT_EQ(place.regime, 1);
  EXPECT_EQ(place.family, "noise");
  EXPECT_EQ(state.worst.begin()->second.replay,
            "oddtile run 'softmax rows=2 columns=100 values=noise'");
}

TEST(attempt, of_a_kernel_that_is_one_bit_off_is_a_violation_that_names_its_replay) {
  Drawn drawn;
  drawn.subject = {.problem = oracles::VectorAddCase{.dtype = oddtile_fp16, .n = 33}};
  const Attempt found = attempt(drawn, {"canary", &canary()}, sim_machine(), nullptr);
  EXPECT_NE(found.violation.find("canary"), std::string::npos) << found.violation;
  EXPECT_NE(found.violation.find("oddtile run 'vector_add"), std::string::npos);
  EXPECT_EQ(found.violation.find('\n'), std::string::npos);
  EXPECT_EQ(attempt(drawn, {"fused", &right()}, sim_machine(), nullptr).violation, "");
}

}  // namespace
}  // namespace oddtile::properties
