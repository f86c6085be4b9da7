#include "reports/render/criteria_tables.h"

#include <gtest/gtest.h>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

using Row = std::vector<std::string>;

TEST(CriteriaTables, a_row_a_mutant_then_the_sum_and_the_blind_criteria) {
  const Table table = caught_table(sample());
  ASSERT_EQ(table.columns.size(), 5u);
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.columns[3].name, "allclose");
  EXPECT_EQ(table.rows[0], (Row{"tail", "Keys end.", "8 of 10", "2 (25 %)", "8 (100 %)"}));
  EXPECT_EQ(table.rows[1], (Row{"base", "Natural.", "10 of 10", "0 (0 %)", "10 (100 %)"}));
  EXPECT_EQ(table.rows[2], (Row{"all", "", "18 of 20", "2 (11 %)", "18 (100 %)"}));
  EXPECT_EQ(table.rows[3], (Row{"mean of the mutants", "", "", "12 %", "100 %"}));
  EXPECT_EQ(table.rows[4], (Row{"never caught", "", "2 mutants", "1", "0"}));
}

TEST(CriteriaTables, false_alarms_are_of_all_runs) {
  const Table table = false_alarm_table(sample());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (Row{"attention", "10", "1 (10 %)", "0 (0 %)"}));
  EXPECT_EQ(table.rows[1], (Row{"all", "10", "1 (10 %)", "0 (0 %)"}));
}

TEST(CriteriaTables, the_headline_has_both_kinds_of_mistakes) {
  std::vector<std::string> lines;
  add_criteria_headline(sample(), lines);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "Criteria: 10 runs of right kernels, 18 in which one of 2 known bugs changed bits. "
            "False alarms and missed faults: allclose 1 and 16, bound 0 and 0.");
}

TEST(CriteriaTables, nothing_measured_is_nothing_shown) {
  std::vector<std::string> lines;
  add_criteria_headline(Record{}, lines);
  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(caught_table(Record{}).rows.empty());
  EXPECT_TRUE(false_alarm_table(Record{}).rows.empty());
}

}  // namespace
}  // namespace oddtile::reports
