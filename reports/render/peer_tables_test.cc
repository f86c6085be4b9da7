#include "reports/render/peer_tables.h"

#include <gtest/gtest.h>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

using Row = std::vector<std::string>;

TimingEntry timed(const std::string& name, int64_t size, double ratio) {
  TimingEntry entry;
  entry.kernel = "softmax";
  entry.implementation = name;
  entry.configuration = "rows";
  entry.series = "softmax fp32";
  entry.size = size;
  entry.bytes = 1000;
  entry.rate = 3000;
  entry.rate_unit = "GB/s";
  entry.verdict = entry.edge_verdict = "pass";
  entry.verified = true;
  if (ratio > 0) {
    entry.baseline = "fused";
    entry.ratio = ratio;
    entry.ratio_low = ratio / 2;
    entry.ratio_high = ratio * 1.25;
  }
  return entry;
}

Record two_points() {
  Record record;
  record.timings = {timed("fused", 64, 0), timed("triton", 64, 0.5), timed("copy", 64, 1.6),
                    timed("fused", 128, 0), timed("triton", 128, 2)};
  record.timings[2].bytes = 500;
  return record;
}

TEST(PeerTables, speed_is_the_other_way_round_and_by_rate_where_amounts_differ) {
  const Record record = two_points();
  const Speed times = speed_over(record.timings[1], record.timings[0]);
  EXPECT_EQ(times.value, 2);
  EXPECT_EQ(times.low, 1.6);
  EXPECT_EQ(times.high, 4);
  EXPECT_EQ(speed_over(record.timings[2], record.timings[0]).value, 1.25);  // 2 / 1.6
}

TEST(PeerTables, every_point_has_a_row_and_every_peer_a_column) {
  const std::vector<Table> tables = peer_tables(two_points());
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].columns.size(), 7u);
  EXPECT_EQ(tables[0].columns[4].name, "triton");
  ASSERT_EQ(tables[0].rows.size(), 2u);
  EXPECT_EQ(tables[0].rows[0], (Row{"softmax fp32", "64", "rows", "3000 GB/s",
                                    "2.000 [1.600, 4.000]", "1.250 [1.000, 2.500]", "verified"}));
  EXPECT_EQ(tables[0].rows[1][5], "");
}

TEST(PeerTables, a_series_has_its_mean_and_its_least) {
  Record record = two_points();
  record.timings[4].ratio_low = 1.25;
  const Table table = peer_summary_table(record);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0],
            (Row{"softmax fp32", "triton", "2", "1.000", "0.500 [0.400, 0.800]", "128", "1"}));
}

TEST(PeerTables, an_entry_of_another_point_is_not_compared) {
  Record record = two_points();
  record.timings[4].size = 256;  // ours was not timed there
  EXPECT_EQ(peer_tables(record)[0].rows.size(), 1u);
  EXPECT_FALSE(has_peers(sample()));  // eager is a baseline, no peer
  EXPECT_TRUE(peer_tables(sample()).empty());
}

TEST(PeerTables, unverified_outputs_are_named) {
  Record record = two_points();
  record.timings[0].verified = false;
  record.timings[0].verdict = "fail";
  EXPECT_EQ(peer_tables(record)[0].rows[0].back(), "fail, edges pass");
}

TEST(PeerTables, a_headline_for_each_peer) {
  std::vector<std::string> lines;
  Record record = two_points();
  record.timings.push_back(timed("fused 7", 128, 1));
  EXPECT_EQ(peer_summary_table(record).rows.size(), 3u);
  add_peer_headlines(record, lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "Beside triton: softmax is 1.00 times as fast (geometric mean of 2 points), at least "
            "0.500 [0.400, 1.000], softmax fp32 at 128; below 1 with its whole interval at 0.");
}

}  // namespace
}  // namespace oddtile::reports
