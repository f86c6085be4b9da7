#include "reports/render/plot.h"

#include <gtest/gtest.h>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

TEST(Plots, a_script_cannot_be_broken_by_a_name) {
  const Plot plot{.size_label = "a\"b`c", .curves = {{"x\\\"y", {{1, 1, 0, 0}}}}};
  EXPECT_TRUE(contains(gnuplot_script(plot), "\"abc\""));
  EXPECT_TRUE(contains(gnuplot_script(plot), "\"xy\""));
}

TEST(Plots, two_pictures_share_no_id) {
  const Plot plot{.size_label = "keys", .curves = {{"x", {{1, 1, 0, 0}, {2, 3, 2, 4}}}}};
  std::string reason;
  const std::string one = draw(plot, "a_", &reason), two = draw(plot, "b_", &reason);
  if (!reason.empty()) GTEST_SKIP() << reason;
  EXPECT_TRUE(one.starts_with("<svg"));
  EXPECT_TRUE(contains(one, "a_gpPt"));
  EXPECT_FALSE(contains(two, "a_gpPt"));
}

}  // namespace
}  // namespace oddtile::reports
