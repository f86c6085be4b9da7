// What `oddtile compare` refuses before it touches a device.
#include <gtest/gtest.h>

#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"

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

TEST(CompareCommand, NeedsAClock) {
  expect_refused({.words = {EXAMPLE_PLUGIN, "softmax columns=3"}, .machine = "sim"}, "no clock");
  expect_refused({.words = {EXAMPLE_PLUGIN, "softmax columns=3"}, .machine = "tpu"}, "tpu");
}

}  // namespace
}  // namespace oddtile::reports
