#include "reports/render/charts.h"

#include <gtest/gtest.h>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

TEST(Plots, one_per_kernel_series_and_section) {
  const Record record = sample();
  EXPECT_EQ(error_plots(record).size(), 1u);
  ASSERT_EQ(io_plots(record).size(), 1u);
  EXPECT_EQ(io_plots(record)[0].curves.size(), 4u);  // and the two lower limits
  EXPECT_EQ(timing_plots(record).size(), 2u);        // ratio and rate
}

TEST(Plots, a_bit_exact_kernel_needs_no_picture) {
  Record record = sample();
  for (ErrorEntry& entry : record.errors) entry.quantities[0].worst_share = 0;
  EXPECT_TRUE(error_plots(record).empty());
}

}  // namespace
}  // namespace oddtile::reports
