#include "reports/render/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

TEST(Tables, every_row_has_every_column) {
  const Record record = sample();
  std::vector<Table> tables = {environment_table(record), verdict_table(record), io_table(record),
                               profile_table(record), skip_table(record)};
  for (Table& table : family_tables(record)) tables.push_back(table);
  for (Table& table : timing_tables(record)) tables.push_back(table);
  for (const Table& table : tables) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  }
}

TEST(Tables, verdicts_add_up_and_the_worst_share_is_kept) {
  Record record = sample();
  record.errors[1].verdict = "vacuous";
  record.errors[1].quantities[0].worst_share = std::numeric_limits<double>::infinity();
  const Table table = verdict_table(record);
  ASSERT_EQ(table.rows.size(), 1u);
  const std::vector<std::string> expected = {"sim", "softmax", "fused", "2", "1",  "1",
                                             "0",   "0",       "20",    "0", "inf"};
  EXPECT_EQ(table.rows[0], expected);
}

TEST(Tables, what_comes_from_the_l2_is_no_share_of_the_copy_rate) {
  Record record = sample();
  record.timings[1].rate = 9000;
  record.timings[1].series = "softmax fp32, replayed";
  const auto lines = headlines(record);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return contains(line, "softmax reaches 3000 GB/s") && contains(line, "75 %");
  }));
}

TEST(Tables, an_unproved_time_says_what_is_missing) {
  Record record = sample();
  record.timings[0].verified = false;
  record.timings[0].verdict = record.timings[0].edge_verdict = "vacuous";
  record.timings[0].edges_visible = 0.07;
  EXPECT_EQ(timing_tables(record)[0].rows[0].back(), "within bound, 7 % of edges visible");
  record.timings[0].edge_verdict = "fail";
  EXPECT_EQ(timing_tables(record)[0].rows[0].back(), "timed vacuous, edges fail");
}

TEST(Tables, a_time_without_a_rate_has_no_share_of_a_ceiling) {
  Record record = sample();
  record.timings[0].rate = 0;
  record.timings[0].rate_unit = "";
  EXPECT_EQ(timing_tables(record)[0].rows[0][5], "");
  EXPECT_EQ(timing_tables(record)[0].rows[0][6], "");
  EXPECT_EQ(timing_tables(record)[0].rows[1][5], "3000 GB/s");
}

}  // namespace
}  // namespace oddtile::reports
