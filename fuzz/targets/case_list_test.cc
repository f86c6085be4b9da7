#include "fuzz/targets/case_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/codec/codec.h"
#include "oracles/case/text.h"
#include "properties/checks/checks.h"

namespace oddtile::fuzz {
namespace {

using oracles::AttentionCase;
using oracles::Case;

std::vector<Case> committed() {
  std::string complaint;
  const auto cases = read_case_list(CORPUS_FOLDER "/benchmark/attention.cases", &complaint);
  EXPECT_EQ(complaint, "");
  return cases;
}

std::string complaint_about(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "oddtile_case_list_test.cases";
  std::ofstream(path) << text;
  std::string complaint;
  EXPECT_TRUE(read_case_list(path.string(), &complaint).empty());
  std::filesystem::remove(path);
  return complaint.substr(complaint.find(".cases") + 6);
}

TEST(CaseList, SaysWhichLineIsNoCase) {
  EXPECT_EQ(complaint_about("# nothing\n"), ": no case in it, or it cannot be read");
  EXPECT_EQ(complaint_about("# one\nsoftmax rows=1 columns=4\nsoftmax rosw=1\n").substr(0, 3),
            ":3:");
}

// The sizes over which executions per second are counted, and none that the codec would clamp.
TEST(CaseList, TheCommittedOneHasTwentyFiveOfEachSize) {
  int small = 0, odd = 0;
  for (const Case& subject : committed()) {
    const auto& c = std::get<AttentionCase>(subject.problem);
    EXPECT_TRUE(in_fuzz_range(subject)) << oracles::print(subject);
    EXPECT_EQ(c.head_dim, 64);
    EXPECT_EQ(c.batch * c.heads_q(), 1);
    EXPECT_TRUE(c.seq_q <= 70 && c.seq_k <= 130) << oracles::print(subject);
    const bool is_small = c.seq_q <= 32 && c.seq_k <= 32;
    ++(is_small ? small : odd);
  }
  EXPECT_EQ(small, 25);
  EXPECT_EQ(odd, 25);
}

// A figure over cases that prove nothing would be worth nothing. The small ones run in 16 x 16.
TEST(CaseList, EveryCommittedCasePassesAndProvesSomething) {
  for (const Case& subject : committed()) {
    const auto& c = std::get<AttentionCase>(subject.problem);
    properties::Machine& machine = properties::sim_machine();
    const auto result = properties::check_case(subject, *machine.implementations()[0], machine);
    EXPECT_TRUE(result.verdict == oracles::Verdict::pass)
        << oracles::print(subject) << "\n"
        << result.judgement.explanation << result.report;
    if (c.seq_q > 32 || c.seq_k > 32) continue;
    EXPECT_TRUE(result.profile.tile_rows == 16 && result.profile.tile_columns == 16)
        << oracles::print(subject) << " runs in " << result.profile.name;
  }
}

}  // namespace
}  // namespace oddtile::fuzz
