// Somebody else's shared library through the same path: the example plug-in's softmax is wrong on
// purpose, and the checks must say so within a few cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/gen/gen.h"
#include "properties/suites/suite.h"

namespace oddtile::properties {
namespace {

TEST(plugin, is_loaded_and_caught) {
  std::string reason;
  const oddtile_implementation* plugin = load_plugin(suite_options().plugin, &reason);
  ASSERT_NE(plugin, nullptr) << reason;
  std::string report;
  const int cases = cases_until_found(any_softmax(), *plugin, 300, &report);
  EXPECT_GT(cases, 0) << "the wrong softmax of the example plug-in was not found in 300 cases";
  EXPECT_NE(report.find("within_bound"), std::string::npos) << report;
  fmt::print("the example plug-in is found wrong after {} cases:\n{}", cases, report);
}

}  // namespace
}  // namespace oddtile::properties
