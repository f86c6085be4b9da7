#include "properties/suites/rc_params.h"

#include <gtest/gtest.h>

namespace oddtile::properties {
namespace {

std::string completed(const std::string& given) {
  std::string complaint;
  const std::string result = complete_rc_params(given, 7, 100, &complaint);
  EXPECT_EQ(result.empty(), !complaint.empty());
  EXPECT_EQ(complaint.find('\n'), std::string::npos);
  return complaint.empty() ? result : complaint;
}

TEST(rc_params, get_a_seed_and_a_number_of_cases) {
  EXPECT_EQ(completed(""), "seed=7 max_success=100");
  EXPECT_EQ(completed(" seed=3"), "seed=3 max_success=100");
  EXPECT_EQ(completed("max_success=5  noshrink=1"), "max_success=5 noshrink=1 seed=7");
  EXPECT_EQ(completed("reproduce=seed=1 max_size=3"),
            "reproduce=seed=1 max_size=3 seed=7 max_success=100");
}

TEST(rc_params, that_rapidcheck_would_pass_over_are_refused) {
  EXPECT_EQ(completed("foo").rfind("unknown key 'foo'; keys: seed, ", 0), 0u) << completed("foo");
  EXPECT_EQ(completed("seed=1 max_succes=1").rfind("unknown key 'max_succes'", 0), 0u);
  EXPECT_EQ(completed("seed=abc"), "seed='abc' is no number");
  EXPECT_EQ(completed("max_success"), "max_success='' is no number");
  EXPECT_EQ(completed("max_success=-1"), "max_success='-1' is no number");
}

}  // namespace
}  // namespace oddtile::properties
