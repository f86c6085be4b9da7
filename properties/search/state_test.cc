#include "properties/search/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

namespace oddtile::properties {
namespace {

const Cell kCell = {oddtile_kernel_softmax, oddtile_fp32};

SearchState sample() {
  SearchState state;
  state.build = "0123abc+changes";
  state.machine = "sim";
  state.seed = ~uint64_t(0);
  state.seconds = 1.5;
  state.cells[kCell] = {7, int64_t(1) << 40};
  Total& total = state.totals[{kCell, "fused, gpu arithmetic"}];
  total.cases = 3;
  total.worst_share = std::numeric_limits<double>::infinity();
  state.quantities[{kCell, "fused", "y"}] = {9, 2, 0.5, {true, false, true}, {"noise", "ties"}};
  state.quantities[{kCell, "eager", "y"}] = {};
  state.note_worst({kCell, "fused", "y", 2, "last_max"}, 0.1, "oddtile run 'softmax columns=3'");
  state.climbs[{kCell, "eager", "y"}] = {1000, 0.125, 1.0 / 3, 1, 17, "five passes", "softmax"};
  state.violations = {"y[0 0 0 1]: got 2;\ttwo lines\nin one"};
  return state;
}

TEST(search_state, survives_the_way_to_text_and_back) {
  const SearchState back = parse_state(print(sample()));
  EXPECT_EQ(print(back), print(parse_state(print(back))));
  EXPECT_EQ(back.seed, ~uint64_t(0));
  EXPECT_EQ(back.cells.at(kCell).judged, int64_t(1) << 40);
  EXPECT_TRUE(std::isinf(back.totals.at({kCell, "fused, gpu arithmetic"}).worst_share));
  ASSERT_EQ(back.quantities.size(), 2u);
  const QuantityTotal& y = back.quantities.at({kCell, "fused", "y"});
  EXPECT_EQ(y.judged, 9);
  EXPECT_EQ(y.not_judged, 2);
  EXPECT_EQ(y.worst_share, 0.5);
  EXPECT_EQ(y.drawn, (std::array{true, false, true}));
  EXPECT_EQ(y.families, (std::set<std::string>{"noise", "ties"}));
  EXPECT_TRUE(back.quantities.at({kCell, "eager", "y"}).families.empty());
  EXPECT_EQ(back.worst.begin()->second.net, kept(0.1));
  EXPECT_EQ(back.worst.begin()->first.regime, 2);
  EXPECT_EQ(back.climbs.begin()->second.net, 1.0 / 3);
  EXPECT_EQ(back.climbs.begin()->second.configuration, "five passes");
  ASSERT_EQ(back.violations.size(), 1u);
  EXPECT_EQ(back.violations[0], "y[0 0 0 1]: got 2; two lines in one");
}

TEST(search_state, keeps_the_largest_share_only) {
  SearchState state;
  const Place place = {kCell, "fused", "y", 0, "ties"};
  state.note_worst(place, 0, "nothing");
  EXPECT_TRUE(state.worst.empty());
  state.note_worst(place, 0.25, "first");
  state.note_worst(place, 0.125, "smaller");
  EXPECT_EQ(state.worst.at(place).replay, "first");
  state.note_worst(place, 0.5, "larger");
  EXPECT_EQ(state.worst.at(place).replay, "larger");
}

TEST(search_state, refuses_other_versions_and_damage) {
  EXPECT_THROW(parse_state(""), std::invalid_argument);
  EXPECT_THROW(parse_state("oddtile-soundness 1\n"), std::invalid_argument);
  const std::string text = print(sample());
  for (const char* damaged :
       {"cell\tsoftmax fp32\t7\n", "cell\tsoftmax fp8\t7\t7\n", "cell\tsoftmax fp32\t7x\t7\n",
        "noise\n", "quantity\tsoftmax fp32\tfused\ty\t1\t0\t0\t1\t2\t0\t-\n",
        "worst\tsoftmax fp32\tfused\ty\t3\tties\t0.5\tline\n"}) {
    try {
      parse_state(text + damaged);
      ADD_FAILURE() << damaged << " was read";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("line "), std::string::npos) << error.what();
    }
  }
}

TEST(search_state, is_saved_whole_or_not_at_all) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "oddtile_search_state_test").string();
  std::filesystem::remove(path);
  SearchState state;
  EXPECT_FALSE(load(path, &state));
  save(sample(), path);
  ASSERT_TRUE(load(path, &state));
  EXPECT_EQ(print(state), print(parse_state(print(sample()))));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
  EXPECT_THROW(save(state, path + "/inside"), std::runtime_error);
}

}  // namespace
}  // namespace oddtile::properties
