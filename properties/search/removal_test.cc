#include "properties/search/removal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace oddtile::properties {
namespace {

std::filesystem::path written(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "oddtile_removal_test.txt";
  std::ofstream(path) << text;
  return path;
}

TEST(Removal, reads_what_is_redundant_and_why) {
  std::string complaint;
  const auto lines = read_redundant(
      written("# what this is\n\nsoftmax fused kernels/a.cuh sync_block 2 nobody reads it\n"),
      &complaint);
  ASSERT_EQ(lines.size(), 1u) << complaint;
  EXPECT_EQ(lines[0].file, "kernels/a.cuh");
  EXPECT_EQ(lines[0].which, 2);
  EXPECT_EQ(lines[0].why, "nobody reads it");
  for (const char* wrong : {"softmax fused kernels/a.cuh sync_block 2\n",
                            "softmax fused kernels/a.cuh sync_block why\n"}) {
    complaint.clear();
    EXPECT_TRUE(read_redundant(written(wrong), &complaint).empty());
    EXPECT_NE(complaint.find(":1: not <kernel>"), std::string::npos) << complaint;
  }
  EXPECT_TRUE(read_redundant("no/such.txt", &complaint).empty());
  EXPECT_NE(complaint.find("cannot be read"), std::string::npos);
}

// The cases meet every configuration once, and every word of softmax's is missed at once.
TEST(Removal, catches_the_barrier_of_a_row_reduction) {
  const auto machine = make_sim_machine();
  const auto cases =
      removal_cases(oddtile_kernel_attention, *machine->implementations()[0], *machine);
  EXPECT_GE(cases.size(), 24u);  // 12 tiles, two sizes
  RemovalOptions options;
  options.kernel = "softmax";
  options.schedules = 3;
  const RemovalResult result = search_removals(*machine, options);
  ASSERT_FALSE(result.removals.empty());
  EXPECT_TRUE(result.findings.empty()) << result.findings[0];
  int64_t barriers = 0, of_tiles = 0, of_staging = 0;
  for (const Removal& removal : result.removals) {
    barriers += removal.word.word == "sync_block";
    of_tiles += removal.word.file == "kernels/softmax/tiles.cuh";
    of_staging += removal.word.file == "kernels/tile/staged_span.cuh";
    EXPECT_TRUE(removal.caught()) << removal.word.file << ":" << removal.word.line;
    EXPECT_GT(removal.caught_in, 0);
  }
  EXPECT_EQ(barriers, 5) << "two of tiles, one of few rows, one of a row of each implementation";
  EXPECT_EQ(of_tiles, 2);
  EXPECT_EQ(of_staging, 2) << "the group of copies, and the wait for it";
}

// A line for what is caught, one for what is not there, and a word that nothing shows in 0 runs.
TEST(Removal, the_list_may_only_shrink) {
  const auto machine = make_sim_machine();
  RemovalOptions options;
  options.kernel = "softmax";
  options.schedules = 3;
  options.redundant = {
      {"softmax", "fused", "kernels/tile/row_reduction.cuh", "sync_block", 1, "a test"},
      {"softmax", "fused", "kernels/tile/row_reduction.cuh", "sync_block", 99, "a test"}};
  const auto findings = search_removals(*machine, options).findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_NE(findings[0].find("is caught: take it off"), std::string::npos) << findings[0];
  EXPECT_NE(findings[1].find("99 is listed and not there"), std::string::npos) << findings[1];

  options.redundant.clear();
  options.schedules = 0;
  const RemovalResult unseen = search_removals(*machine, options);
  ASSERT_FALSE(unseen.findings.empty());
  EXPECT_EQ(unseen.findings.size(), unseen.removals.size());
  EXPECT_NE(unseen.findings[0].find("was never missed in 0 runs"), std::string::npos);
  EXPECT_GT(unseen.same_bits.at("softmax"), 0);

  options.sees_races = false;
  const RemovalResult blind = search_removals(*machine, options);
  EXPECT_TRUE(blind.findings.empty());
  EXPECT_EQ(blind.unseen, int64_t(blind.removals.size()));
}

}  // namespace
}  // namespace oddtile::properties
