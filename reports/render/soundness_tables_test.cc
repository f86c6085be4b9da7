#include "reports/render/soundness_tables.h"

#include <gtest/gtest.h>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

using Row = std::vector<std::string>;

TEST(SoundnessTables, a_row_an_output_with_the_worst_of_each_length_of_the_row) {
  const Table table = share_table(sample());
  ASSERT_EQ(table.columns.size(), 9u);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0], (Row{"sim", "softmax fp32 y", "1 400", "0.812", "0.250", "0.125",
                                "not drawn", "0.500", ""}));
  EXPECT_EQ(table.rows[1], (Row{"sim", "softmax bf16 y", "10", "0.999", "0", "not drawn",
                                "not drawn", "0", "hidden by the rounding of its output"}));
  EXPECT_EQ(table.rows[2], (Row{"sim", "vector_add fp32 out", "20", "0", "", "", "", "",
                                "bit-exact: no bound to use"}));
}

// What an older record says of the kernel stands in for its outputs, and its 0 stays a 0.
TEST(SoundnessTables, older_records_have_the_kernels_numbers) {
  Record record = sample();
  SoundnessQuantity& y = record.soundness[0].cells[0].quantities[0];
  y.judged.reset();
  y.worst_share.reset();
  y.regimes.reset();
  y.families.reset();
  EXPECT_EQ(share_table(record).rows[0],
            (Row{"sim", "softmax fp32 y", "1 500", "0.875", "0.250", "0.125", "0", "0.500", ""}));
}

TEST(SoundnessTables, a_16_bit_softmax_whose_errors_show_is_not_called_hidden) {
  Record record = sample();
  record.soundness[0].cells[1].quantities[0].climbs[0].net = 0.01;
  EXPECT_EQ(share_table(record).rows[1].back(), "");
}

TEST(SoundnessTables, families_take_the_worst_over_kernels_and_lengths) {
  const std::vector<Table> tables = soundness_family_tables(sample());
  ASSERT_EQ(tables.size(), 1u);  // what never shows has no table
  ASSERT_EQ(tables[0].columns.size(), 2u);
  EXPECT_EQ(tables[0].columns[1].name, "sim fp32 y");
  ASSERT_EQ(tables[0].rows.size(), 2u);
  EXPECT_EQ(tables[0].rows[0], (Row{"last_max", "0.250"}));
  EXPECT_EQ(tables[0].rows[1], (Row{"noise", "0.062"}));

  Record more = sample();
  SoundnessQuantity& other = more.soundness[0].cells[1].quantities[0];
  other.shares = {{"fused", "n <= 16", "ties", 0.5, "run"}};
  const Table both = soundness_family_tables(more)[0];
  EXPECT_EQ(both.rows[0], (Row{"last_max", "0.250", "not drawn"}));
  EXPECT_EQ(both.rows[1], (Row{"noise", "0.062", "0"}));
  EXPECT_EQ(both.rows[2], (Row{"ties", "not drawn", "0.500"}));
}

TEST(SoundnessTables, the_best_climb_has_its_case_and_how_to_climb_again) {
  const Table table = climb_table(sample());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0], (Row{"sim", "softmax fp32 y", "0.500", "0.125", "n <= 16",
                                "emulated, free", "3", "softmax columns=9", "climb"}));
}

TEST(SoundnessTables, every_right_kernel_has_a_row) {
  const Table table = contender_table(sample());
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[1],
            (Row{"sim", "softmax fp32", "emulated", "9", "2", "1", "500", "3", "4", "0.875"}));
}

TEST(SoundnessTables, the_headline_counts_and_names_the_largest_share) {
  Record record = sample();
  std::vector<std::string> lines;
  add_soundness_headline(record, lines);
  record.soundness[0].complete = false;
  record.soundness[0].violations = {"V"};
  record.soundness[0].cells.resize(1);
  record.soundness[0].cells[0].quantities.clear();
  add_soundness_headline(record, lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "Soundness: 1 530 outputs of right kernels on sim judged, 0 violations. Most used of a "
            "bound, net of output rounding: softmax y 0.500.");
  EXPECT_EQ(lines[1],
            "Soundness: 1 500 outputs of right kernels on sim judged (not complete), 1 violation.");
}

TEST(SoundnessTables, nothing_searched_is_nothing_shown) {
  std::vector<std::string> lines;
  add_soundness_headline(Record{}, lines);
  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(share_table(Record{}).rows.empty());
  EXPECT_TRUE(climb_table(Record{}).rows.empty());
  EXPECT_TRUE(contender_table(Record{}).rows.empty());
  EXPECT_TRUE(soundness_family_tables(Record{}).empty());
}

}  // namespace
}  // namespace oddtile::reports
