#include "reports/record/join.h"

#include <gtest/gtest.h>

#include "reports/record/findings.h"
#include "reports/record/sample_entries.h"

namespace oddtile::reports {
namespace {

Record made_at(const std::string& commit) {
  Record record;
  record.environment.commit = commit;
  record.errors = {error_entry("pass", 0.5)};
  record.timings = {timing_entry(2, 3)};
  return record;
}

TEST(Join, entries_are_appended_and_the_first_environment_stays) {
  Record record = made_at("one");
  Record other = made_at("two");
  other.soundness = {soundness_entry(1000, {})};
  other.criteria = {criteria_entry("tail", 3, 3)};
  other.ceilings.copy_gb_s = 4000;
  join(other, &record);
  EXPECT_EQ(record.environment.commit, "one");
  ASSERT_EQ(record.beside.size(), 1u);
  EXPECT_EQ(record.beside[0].commit, "two");
  EXPECT_EQ(record.errors.size(), 2u);
  EXPECT_EQ(record.timings.size(), 2u);
  EXPECT_EQ(record.soundness.size(), 1u);
  EXPECT_EQ(record.criteria.size(), 1u);
  EXPECT_EQ(record.ceilings.copy_gb_s, 4000);
}

TEST(Join, own_ceilings_are_kept) {
  Record record = made_at("one");
  Record other = made_at("two");
  record.ceilings.copy_gb_s = 3000;
  other.ceilings.copy_gb_s = 4000;
  join(other, &record);
  EXPECT_EQ(record.ceilings.copy_gb_s, 3000);
}

TEST(Join, what_broke_elsewhere_is_told_but_no_finding) {
  Record record = made_at("one");
  Record other = made_at("two");
  other.skips = {{"timing", "a point", "the launch failed", true}};
  join(other, &record);
  EXPECT_TRUE(findings(record).empty());
  ASSERT_EQ(record.skips.size(), 1u);
  EXPECT_EQ(record.skips[0].reason, "broke: the launch failed");
}

TEST(Join, a_time_of_wrong_outputs_stays_a_finding) {
  Record record = made_at("one");
  Record other = made_at("two");
  other.timings[0].verified = false;
  other.timings[0].verdict = "fail";
  join(other, &record);
  EXPECT_EQ(findings(record).size(), 1u);
}

TEST(Join, a_joined_record_survives_json_and_joining) {
  Record record = made_at("one");
  join(made_at("two"), &record);
  std::string reason;
  const auto back = from_json(to_json(record), &reason);
  ASSERT_TRUE(back) << reason;
  ASSERT_EQ(back->beside.size(), 1u);
  Record outer = made_at("zero");
  join(*back, &outer);
  ASSERT_EQ(outer.beside.size(), 2u);
  EXPECT_EQ(outer.beside[1].commit, "two");
}

}  // namespace
}  // namespace oddtile::reports
