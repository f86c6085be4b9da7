#include "properties/search/soundness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "properties/search/canary.h"

namespace oddtile::properties {
namespace {

SearchState fresh() {
  SearchState state;
  state.build = "test";
  state.machine = "sim";
  state.seed = 11;
  return state;
}

std::string without_time(SearchState state) {
  state.seconds = 0;
  return print(state);
}

TEST(soundness, reaches_its_outputs_in_every_cell_without_a_violation) {
  SearchState state = fresh();
  SearchOptions options;
  options.outputs = 3'000;
  ASSERT_TRUE(search_soundness(sim_machine(), options, &state));
  EXPECT_EQ(state.cells.size(), all_cells().size());
  for (const auto& [cell, progress] : state.cells)
    EXPECT_GE(progress.judged, 3'000) << cell_name(cell);
  EXPECT_TRUE(state.violations.empty());
  for (const auto& [key, total] : state.totals) EXPECT_LE(total.worst_share, 1);
}

TEST(soundness, gives_the_same_totals_whatever_the_threads_and_interruptions) {
  SearchOptions options;
  options.outputs = 8'000;
  options.kernel = oddtile_kernel_softmax;
  options.threads = 1;
  SearchState whole = fresh();
  ASSERT_TRUE(search_soundness(sim_machine(), options, &whole));

  options.threads = 3;
  options.state_path = (std::filesystem::temp_directory_path() / "oddtile_soundness_test").string();
  SearchState parts = fresh();
  std::atomic<bool> stop = false;
  options.stop = &stop;
  options.contenders = [&](oddtile_kernel kernel, const Machine& machine) {
    stop = true;  // before the first batch: nothing of it is done
    return contenders(kernel, machine);
  };
  EXPECT_FALSE(search_soundness(sim_machine(), options, &parts));
  options.contenders = {};
  stop = false;
  for (const int64_t outputs : {2'000, 8'000}) {  // the file is all that goes from run to run
    options.outputs = outputs;
    ASSERT_TRUE(load(options.state_path, &parts));
    ASSERT_TRUE(search_soundness(sim_machine(), options, &parts));
  }
  EXPECT_EQ(without_time(parts), without_time(whole));
  std::filesystem::remove(options.state_path);
}

TEST(soundness, time_ends_a_search_and_what_was_counted_stays_true) {
  SearchState state = fresh();
  SearchOptions options;
  options.outputs = int64_t(1) << 40;
  options.kernel = oddtile_kernel_attention;
  options.seconds_at_most = 0.3;
  EXPECT_FALSE(search_soundness(sim_machine(), options, &state));
  const SearchState stopped = state;
  SearchState again = fresh();
  options.seconds_at_most = 1e9;
  options.outputs = 1;
  for (const auto& [cell, progress] : stopped.cells)
    options.outputs = std::max(options.outputs, progress.judged);
  ASSERT_GT(stopped.judged(), 0);
  // The smaller cell would go on beyond; the larger one must come out the same.
  search_soundness(sim_machine(), options, &again);
  for (const auto& [cell, progress] : stopped.cells)
    if (progress.judged == options.outputs) EXPECT_EQ(again.cells.at(cell).next, progress.next);
}

TEST(soundness, finds_a_kernel_that_leaves_a_bound) {
  SearchState state = fresh();
  SearchOptions options;
  options.outputs = 3'000'000;
  options.kernel = oddtile_kernel_softmax;
  options.contenders = [](oddtile_kernel, const Machine&) {
    return std::vector<Contender>{{"canary", &canary()}};
  };
  EXPECT_FALSE(search_soundness(sim_machine(), options, &state));
  ASSERT_EQ(state.violations.size(), 1u);
  const Cell cell = {oddtile_kernel_softmax, oddtile_fp32};
  fmt::print("found in case {}: {}\n", state.cells.at(cell).next, state.violations[0]);
  EXPECT_NE(state.violations[0].find("canary"), std::string::npos);
}

}  // namespace
}  // namespace oddtile::properties
