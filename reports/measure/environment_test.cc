#include "reports/measure/environment.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

TEST(Environment, says_where_and_from_what) {
  const Environment e = environment();
  EXPECT_FALSE(e.commit.empty());
  ASSERT_EQ(e.date.size(), 20u) << e.date;  // 2026-01-01T00:00:00Z
  EXPECT_EQ(e.date.back(), 'Z');
  EXPECT_FALSE(e.compiler.ends_with(' '));
  ASSERT_FALSE(e.machines.empty());
  EXPECT_EQ(e.machines[0].name, "sim");
  EXPECT_NE(e.device.empty(), e.no_device.empty());  // a device, or the reason why not
}

}  // namespace
}  // namespace oddtile::reports
