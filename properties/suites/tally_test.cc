// Zero of anything that a suite counts must be a failure, so none may be a constant.
#include <gtest/gtest.h>

#include "properties/suites/suite.h"

namespace oddtile::properties {
namespace {

CheckResult result_of(int64_t launches, int64_t judged) {
  CheckResult result;
  result.verdict = oracles::Verdict::pass;
  result.launches = launches;
  result.judgement.quantities.push_back({});
  result.judgement.quantities.back().judged = judged;
  return result;
}

std::string nothing_proved_by(const CheckResult& result) {
  Tally tally;
  tally.add(result);
  return tally.proves_nothing();
}

TEST(tally, adds_what_was_really_launched) {
  Tally tally;
  tally.add(result_of(4, 10));
  tally.add(result_of(3, 10));
  EXPECT_EQ(tally.launches, 7);
  EXPECT_EQ(tally.judged, 20);
  EXPECT_EQ(tally.proves_nothing(), "");
}

TEST(tally, of_nothing_proves_nothing) {
  EXPECT_EQ(Tally().proves_nothing(), "no case was run");
  EXPECT_EQ(nothing_proved_by(result_of(0, 10)), "nothing was launched");
  EXPECT_EQ(nothing_proved_by(result_of(2, 0)), "no element was judged");
  CheckResult declined;
  declined.offered = false;
  EXPECT_EQ(nothing_proved_by(declined), "nothing was launched");
}

}  // namespace
}  // namespace oddtile::properties
