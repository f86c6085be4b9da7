#include "reports/measure/by_name.h"

#include <gtest/gtest.h>

#include <functional>

#include "reports/measure/comparison.h"
#include "reports/measure/tuning.h"

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

// Host memory that is asked for, in units of what is given.
double units(HostBytes bytes, const std::string& text, double unit) {
  return bytes(case_of(text)) / unit;
}

TEST(ByName, memory_is_asked_for_what_is_made) {
  const double part = 4 * (3 * 4 + 1) * double(1 << 21);
  const std::string text = "vector_add n=10000000";
  EXPECT_EQ(units(host_bytes_of_check, text, 1e7), 4 * 13);
  EXPECT_EQ(units(host_bytes_of_comparison, text, part + 8e7), 1) << "and two outputs";
  EXPECT_NEAR(units(host_bytes_of_tuning, text, part), 1, 0.01) << "and a little that is judged";
  const std::string rows = "softmax rows=10000 columns=1000 dtype=bf16";
  EXPECT_EQ(units(host_bytes_of_comparison, rows, 4 * 5 * 2048e3 + 4e7), 1);
  const std::string attention = "attention seq_q=1000 seq_k=1000 head_dim=64";
  EXPECT_EQ(units(host_bytes_of_comparison, attention, 4 * 512e3 + 2 * 132e3), 1);
  EXPECT_EQ(complaint([] { case_of("vector_add n=200000000000", "case", host_bytes_of_tuning); }),
            "");
}

}  // namespace
}  // namespace oddtile::reports
