// What `oddtile compare` refuses before it touches a device; what it prints, on the simulator with
// a clock that is made up.
#include "reports/cli/compare_command.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "oracles/case/layout.h"
#include "properties/harness/buffers.h"
#include "reports/measure/by_name.h"
#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

void expect_refused(const CompareOptions& options, const std::string& words) {
  try {
    compare_command(options);
    ADD_FAILURE() << "not refused: " << words;
  } catch (const WrongUse& wrong) {
    EXPECT_NE(std::string(wrong.what()).find(words), std::string::npos) << wrong.what();
  }
}

TEST(CompareCommand, NeedsLibrariesAndCases) {
  expect_refused({.words = {"softmax columns=3"}}, "needs a library");
  expect_refused({.words = {EXAMPLE_PLUGIN}}, "needs a case");
  expect_refused({.words = {EXAMPLE_PLUGIN, "no.so", "softmax columns=3"}}, "no.so does not exist");
}

TEST(CompareCommand, AllAndOneContradict) {
  const std::string text = "softmax columns=3 config=";
  expect_refused({.words = {EXAMPLE_PLUGIN, text + "0"}, .all = true}, "config=0 is one");
  expect_refused({.words = {EXAMPLE_PLUGIN, text + "0"}, .machine = "sim"}, "no clock");
  expect_refused({.words = {EXAMPLE_PLUGIN, text + "-1"}, .machine = "sim", .all = true},
                 "no clock");
}

TEST(CompareCommand, NeedsAClock) {
  expect_refused({.words = {EXAMPLE_PLUGIN, "softmax columns=3"}, .machine = "sim"}, "no clock");
  expect_refused({.words = {EXAMPLE_PLUGIN, "softmax columns=3"}, .machine = "tpu"}, "tpu");
}

TEST(CompareCommand, ACaseThatIsNeverWholeOnTheHostIsNotRefused) {
  const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  const auto refused = [&](double share, const std::string& words) {
    const std::string text = fmt::format("vector_add n={}", int64_t(memory * share));
    expect_refused({.words = {EXAMPLE_PLUGIN, text}, .machine = "sim"}, words);
  };
  refused(1.0 / 20, "no clock");                // 52 bytes an element to check it, 8 to compare
  refused(1.0 / 7, "GB of host memory, here");  // which are too many
}

struct Printed {
  int code;
  std::string text;
  int64_t count(const std::string& part) const {
    int64_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
};

// Library i takes i + 1 us.
Printed printed(const std::vector<Library>& libraries, CompareOptions options = {},
                const std::vector<std::string>& texts = {"softmax rows=3 columns=8"}) {
  std::vector<oracles::Case> cases;
  for (const std::string& text : texts) cases.push_back(case_of(text));
  MadeUpClock clock([](size_t i, int) { return double(i + 1); });
  options.rounds = 6;
  testing::internal::CaptureStdout();
  const int code = compare_with(cases, libraries, properties::sim_machine(), clock, options);
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout()};
}

const oddtile_implementation& fused() {
  return *properties::sim_machine().implementations()[0];
}

const std::vector<Library>& twice() {
  static const std::vector<Library> libraries = {{"a.so", &fused()}, {"b.so", &fused()}};
  return libraries;
}

TEST(CompareCommand, OneLibraryIsHeldAgainstTheProgramsOwn) {
  properties::Machine& machine = properties::sim_machine();
  const auto* eager = machine.implementations()[1];
  const auto libraries = with_baseline({{"alone.so", eager}}, machine);
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].name, "fused of this program");
  EXPECT_EQ(libraries[0].table, &fused());
  EXPECT_EQ(libraries[1].table, eager);
  EXPECT_EQ(with_baseline(twice(), machine).size(), 2u);
}

TEST(CompareCommand, FindingsDecideTheCode) {
  const Printed clean = printed(twice());
  EXPECT_EQ(clean.code, 0) << clean.text;
  EXPECT_EQ(clean.count("equal bits"), 1);
  EXPECT_EQ(printed(twice(), {.slower = 1.9}).code, 1);
  EXPECT_EQ(printed(twice(), {.slower = 2.1}).code, 0);
  oddtile_implementation none = fused();
  // A finding of the first case is not forgotten over the second.
  none.configurations = [](const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
    return problem->kernel == oddtile_kernel_softmax
               ? 0
               : fused().configurations(problem, ids, capacity);
  };
  const Printed lost = printed({{"a.so", &fused()}, {"b.so", &none}}, {},
                               {"softmax rows=3 columns=8", "vector_add n=10"});
  EXPECT_EQ(lost.code, 1) << lost.text;
  EXPECT_EQ(lost.count("FINDING"), 1) << lost.text;
}

TEST(CompareCommand, AllTakesEachConfigurationOnce) {
  const std::string text = "vector_add n=10";
  const auto offered =
      int64_t(properties::configurations_of(fused(), oracles::bind_nowhere(case_of(text))).size());
  const Printed all = printed(twice(), {.all = true}, {text});
  EXPECT_EQ(all.count("vector_add n=10"), offered) << all.text;
  EXPECT_EQ(all.count("(512 threads)"), 2) << all.text;
  EXPECT_EQ(all.count("(1024 threads, backwards)"), 2) << all.text;
}

TEST(CompareCommand, JsonIsAllThatIsPrinted) {
  const Printed json = printed(twice(), {.json = true}, {"vector_add n=10", "vector_add n=11"});
  EXPECT_EQ(json.text.front(), '[');
  EXPECT_EQ(json.count("\"library\""), 4);
  EXPECT_EQ(json.count("of copy"), 0);
  EXPECT_EQ(json.count("\"finding\": \"\""), 4) << json.text;
}

TEST(CompareCommand, JsonSaysWhichEntryIsAFinding) {
  const Printed slow = printed(twice(), {.slower = 1.9, .json = true});
  EXPECT_EQ(slow.code, 1);
  EXPECT_EQ(slow.count("\"finding\": \"\""), 1) << slow.text;
  EXPECT_EQ(slow.count("\"finding\": \"slower than 1.9\""), 1) << slow.text;
  oddtile_implementation none = fused();
  none.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const Printed lost = printed({{"a.so", &fused()}, {"b.so", &none}}, {.json = true});
  EXPECT_EQ(lost.count("\"finding\": \"not compared\""), 1) << lost.text;
}

}  // namespace
}  // namespace oddtile::reports
