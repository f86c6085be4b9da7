#include "reports/measure/by_name.h"

#include <gtest/gtest.h>

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

TEST(ByName, what_exists_is_found) {
  EXPECT_EQ(case_of("softmax rows=2 columns=3").kernel(), oddtile_kernel_softmax);
  EXPECT_EQ(&machine_named("sim"), &properties::sim_machine());
  EXPECT_STREQ(implementation_named("eager", machine_named("sim")).name, "eager");
}

TEST(ByName, what_does_not_is_refused_with_what_there_is) {
  EXPECT_TRUE(contains(complaint([] { case_of("softmax colums=3"); }), "case, at byte 8"));
  EXPECT_TRUE(contains(complaint([] { case_of("softmax colums=3", "a.case"); }), "a.case, at"));
  EXPECT_TRUE(contains(complaint([] { case_of("vector_add n=200000000000"); }), "GB"));
  EXPECT_TRUE(contains(complaint([] { machine_named("tpu"); }), "sim, cuda"));
  const auto best = [] { implementation_named("best", machine_named("sim")); };
  EXPECT_TRUE(contains(complaint(best), "fused, eager"));
}

}  // namespace
}  // namespace oddtile::reports
