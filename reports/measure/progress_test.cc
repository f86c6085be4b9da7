#include "reports/measure/progress.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

// Tests have no terminal: plain lines, at most one in ten seconds, and the sum at the end.
TEST(Progress, a_log_gets_few_plain_lines) {
  testing::internal::CaptureStderr();
  {
    Progress progress("errors on sim", 3);
    for (int i = 0; i < 3; ++i) progress.step("a case");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.starts_with("errors on sim: 3 of 3 done in ")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

}  // namespace
}  // namespace oddtile::reports
