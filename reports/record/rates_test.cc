#include "reports/record/rates.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

TEST(Rates, are_the_medians_of_what_was_repeated) {
  std::string reason;
  const auto rates = rates_from(R"({"context": {"build": "plain"}, "benchmarks": [
      {"name": "list/iterations:8", "run_type": "iteration", "cases": 100.0, "elements": 5.0},
      {"name": "list/iterations:8", "run_type": "iteration", "cases": 300.0, "elements": 7.0},
      {"name": "list/iterations:8", "run_type": "iteration", "cases": 200.0, "elements": 6.0},
      {"name": "list/iterations:8_mean", "run_type": "aggregate", "cases": 9.0, "elements": 9.0},
      {"name": "one", "cases": 50.0, "elements": 2.0},
      {"name": "broken", "error_occurred": true}]})",
                                &reason);
  ASSERT_TRUE(rates.has_value()) << reason;
  ASSERT_EQ(rates->size(), 2u);
  EXPECT_EQ((*rates)[0].build, "plain");
  EXPECT_EQ((*rates)[0].name, "list");
  EXPECT_EQ((*rates)[0].cases, 200.0);
  EXPECT_EQ((*rates)[0].elements, 6.0);
  EXPECT_EQ((*rates)[1].name, "one");
}

TEST(Rates, say_why_a_file_has_none) {
  for (const char* wrong :
       {"", "{}", R"({"context": {}, "benchmarks": []})",
        R"({"context": {"build": "plain"}, "benchmarks": []})",
        R"({"context": {"build": "plain"}, "benchmarks": [{"name": "one"}]})"}) {
    std::string reason;
    EXPECT_FALSE(rates_from(wrong, &reason).has_value()) << wrong;
    EXPECT_NE(reason, "") << wrong;
  }
}

}  // namespace
}  // namespace oddtile::reports
