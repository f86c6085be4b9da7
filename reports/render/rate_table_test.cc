#include "reports/render/rate_table.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

TEST(RateTable, has_a_row_a_case_and_a_column_a_build) {
  Record record;
  record.rates = {{"plain", "list", 2000.4, 3e6},
                  {"plain", "one", 100, 1e5},
                  {"race detection", "list", 50, 2e4}};
  const Table table = rate_table(record);
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[2].name, "race detection");
  const std::vector<std::vector<std::string>> rows = {{"list", "2000 (3.00)", "50 (0.02)"},
                                                      {"one", "100 (0.10)", "-"}};
  EXPECT_EQ(table.rows, rows);
}

}  // namespace
}  // namespace oddtile::reports
