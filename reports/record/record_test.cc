#include "reports/record/record.h"

#include <gtest/gtest.h>

#include <limits>

#include "reports/record/sample_entries.h"

namespace oddtile::reports {
namespace {

Record sample() {
  Record record;
  record.environment.commit = "0123abc+changes";
  record.environment.machines = {{"sim", "the simulator"}};
  record.profiles = {{"sim", "fused", "softmax", "online", "lanes 128"}};
  record.errors = {error_entry("pass", 0.75)};
  record.io = {{"softmax", "eager", "softmax fp32", 64, "softmax rows=4 columns=64",
                int64_t(1) << 40, 2, 3, 4, 5, 6, 7}};
  record.timings = {timing_entry(1.5, 2.0)};
  record.criteria = {criteria_entry("attention_scores_in_16_bits", 4, 3)};
  record.soundness = {soundness_entry(2000, {"V"})};
  record.skips = {{"timing", "eager attention", "its workspace exceeds 40 GB"}};
  record.ceilings.copy_gb_s = 4297.0;
  return record;
}

TEST(Record, survives_the_way_to_json_and_back) {
  const std::string text = to_json(sample());
  std::string reason;
  const std::optional<Record> back = from_json(text, &reason);
  ASSERT_TRUE(back) << reason;
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->io[0].bytes_read, int64_t(1) << 40);
  EXPECT_EQ(back->errors[0].quantities[0].signed_mean, -0.125);
  EXPECT_TRUE(back->timings[0].verified);
  EXPECT_EQ(back->criteria[0].counts[1].rejected, 3);
  EXPECT_TRUE(back->criteria[0].counts[1].ours);
  ASSERT_EQ(back->soundness.size(), 1u);
  EXPECT_TRUE(back->soundness[0].complete);
  EXPECT_EQ(back->soundness[0].violations, std::vector<std::string>{"V"});
  const SoundnessCell& cell = back->soundness[0].cells[0];
  EXPECT_EQ(cell.contenders[0].worst_share, 0.75);
  EXPECT_EQ(cell.quantities[0].shares[0].net, 0.25);
  EXPECT_EQ(cell.quantities[0].climbs[0].case_text, "softmax columns=99");
  EXPECT_EQ(*back->ceilings.copy_gb_s, 4297.0);
  EXPECT_FALSE(back->ceilings.matmul_bf16_tflop_s);
}

TEST(Record, keeps_an_infinite_share_and_a_nan) {
  Record record = sample();
  record.errors[0].quantities[0].worst_share = std::numeric_limits<double>::infinity();
  record.errors[0].quantities[0].signed_mean = std::numeric_limits<double>::quiet_NaN();
  std::string reason;
  const std::optional<Record> back = from_json(to_json(record), &reason);
  ASSERT_TRUE(back) << reason;
  EXPECT_EQ(back->errors[0].quantities[0].worst_share, std::numeric_limits<double>::infinity());
  EXPECT_NE(back->errors[0].quantities[0].signed_mean, back->errors[0].quantities[0].signed_mean);
}

TEST(Record, keeps_a_failure_and_what_broke) {
  Record record = sample();
  record.errors[0].failure = {"y", {0, 0, 0, 5}, 0.5, std::numeric_limits<double>::quiet_NaN(), 0,
                              2,   {"a", "b"},   "R"};
  record.skips[0].broken = true;
  std::string reason;
  const std::optional<Record> back = from_json(to_json(record), &reason);
  ASSERT_TRUE(back) << reason;
  EXPECT_EQ(to_json(*back), to_json(record));
  EXPECT_EQ(back->errors[0].failure->index[3], 5);
  EXPECT_EQ(back->errors[0].failure->replay, "R");
  EXPECT_TRUE(back->skips[0].broken);
}

TEST(Record, an_older_record_lacks_the_fields_that_came_later) {
  Record older = sample();
  older.criteria.clear();
  older.soundness.clear();
  std::string text = to_json(older);
  for (const std::string later : {",\n   \"failure\": null", ",\n   \"broken\": false",
                                  "\n \"criteria\": [],", "\n \"soundness\": [],"}) {
    ASSERT_NE(text.find(later), std::string::npos) << text;
    text.erase(text.find(later), later.size());
  }
  std::string reason;
  const std::optional<Record> back = from_json(text, &reason);
  ASSERT_TRUE(back) << reason;
  EXPECT_FALSE(back->errors[0].failure);
  EXPECT_FALSE(back->skips[0].broken);
  EXPECT_TRUE(back->criteria.empty());
  EXPECT_TRUE(back->soundness.empty());
}

TEST(Record, refuses_other_versions_missing_fields_and_noise) {
  std::string reason;
  EXPECT_FALSE(from_json("{\"schema_version\": 99}", &reason));
  EXPECT_NE(reason.find("version 99"), std::string::npos);
  EXPECT_FALSE(from_json("{\"schema_version\": 1}", &reason));
  EXPECT_NE(reason.find("environment is missing"), std::string::npos);
  EXPECT_FALSE(from_json("[1, 2]", &reason));
  EXPECT_FALSE(from_json("not json", &reason));
  std::string text = to_json(sample());
  text.replace(text.find("\"size\": 7"), 9, "\"size\": []");
  EXPECT_FALSE(from_json(text, &reason));
  EXPECT_NE(reason.find("errors: size"), std::string::npos) << reason;
}

}  // namespace
}  // namespace oddtile::reports
