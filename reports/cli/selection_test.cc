#include "reports/cli/selection.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace oddtile::reports {
namespace {

std::string complaint(const std::function<void()>& body) {
  try {
    body();
  } catch (const WrongUse& wrong) {
    return wrong.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Selection, a_case_is_one_word_or_many_or_a_file) {
  const oracles::Case one = chosen_case({.words = {"softmax rows=2 columns=3"}});
  EXPECT_EQ(chosen_case({.words = {"softmax", "rows=2", "columns=3"}}), one);
  const std::string path = testing::TempDir() + "a softmax.case";
  std::ofstream(path) << "# why this one\nsoftmax rows=2 columns=3\n";
  EXPECT_EQ(chosen_case({.words = {path}}), one);
  EXPECT_EQ(chosen_case({.words = {"@" + path}}), one);
  std::filesystem::remove(path);
}

TEST(Selection, cases_of_a_file_know_their_line) {
  const std::string path = testing::TempDir() + "points.txt";
  std::ofstream(path) << "# why\nsoftmax columns=3\n\n  # these\n \nvector_add n=3\r\n";
  const auto lines = case_lines({"softmax", "@" + path});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text + " of " + lines[0].where, "softmax of case");
  EXPECT_EQ(lines[1].text + " of " + lines[1].where, "softmax columns=3 of " + path + ", line 2");
  EXPECT_EQ(lines[2].where, path + ", line 6");
  EXPECT_EQ(case_of(lines[2].text), case_of("vector_add n=3"));
  std::filesystem::remove(path);
}

TEST(Selection, a_path_is_no_case) {
  EXPECT_TRUE(contains(complaint([] { case_lines({"softmax", "libx.so.1"}); }), "'libx.so.1' is"));
  EXPECT_TRUE(contains(complaint([] { case_lines({"a/points.txt"}); }), "begins with @"));
}

TEST(Selection, a_complaint_says_where_and_what_there_is) {
  EXPECT_TRUE(contains(complaint([] { chosen_case({.words = {"softmax colums=3"}}); }), "byte 8"));
  EXPECT_TRUE(contains(complaint([] { chosen_case({.words = {"no.case"}}); }), "no.case"));
  const auto best = [] {
    Selection selection;
    selection.implementation = "best";
    chosen_implementation(selection, machine_named("sim"));
  };
  EXPECT_TRUE(contains(complaint(best), "fused, eager"));
}

TEST(Selection, the_simulator_takes_another_arithmetic) {
  properties::Machine& machine = machine_named("sim");
  choose_arithmetic({.arithmetic = "nvidia-h200"}, machine);
  EXPECT_EQ(machine.arithmetic(), "nvidia-h200");
  EXPECT_EQ(machine.hardware()->name, "nvidia-h200");
  choose_arithmetic({}, machine);
  EXPECT_EQ(machine.arithmetic(), "nvidia-h200");
  choose_arithmetic({.arithmetic = "plain"}, machine);
  EXPECT_EQ(machine.arithmetic(), "");
  EXPECT_EQ(machine.hardware()->name, "sim");
  const auto wrong = [&] { choose_arithmetic({.arithmetic = "h100"}, machine); };
  EXPECT_TRUE(contains(complaint(wrong), "plain nvidia-h200"));
}

TEST(Selection, an_output_folder_is_made_or_refused) {
  const std::string folder = testing::TempDir() + "oddtile selection/report";
  EXPECT_EQ(complaint([&] { require_writable(folder); }), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_NE(complaint([] { require_writable("/dev/null/report"); }), "");
  std::filesystem::create_directories(folder + "/index.html");
  EXPECT_TRUE(contains(complaint([&] { require_writable(folder); }), "index.html is a folder"));
  std::filesystem::remove(folder + "/index.html");
}

}  // namespace
}  // namespace oddtile::reports
