#include "reports/record/findings.h"

#include <gtest/gtest.h>

#include "reports/record/sample_entries.h"

namespace oddtile::reports {
namespace {

Record sample() {
  Record record;
  record.errors = {error_entry("pass", 0.75)};
  record.timings = {timing_entry(1.5, 2.0)};
  return record;
}

TEST(Findings, a_clean_record_has_none) {
  EXPECT_TRUE(findings(sample()).empty());
}

TEST(Findings, a_failed_case_and_a_case_that_judged_nothing_are_found) {
  Record record = sample();
  record.errors = {error_entry("fail", 3.0), error_entry("pass", 0.5)};
  record.errors[1].quantities[0].judged = 0;
  const std::vector<Finding> found = findings(record);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].text.find("within_bound"), std::string::npos);
  EXPECT_NE(found[1].text.find("nothing was judged"), std::string::npos);
}

TEST(Findings, a_failure_is_told_with_its_worst_element_and_its_replay) {
  Record record = sample();
  record.errors = {error_entry("fail", 3.0)};
  Failure failure = {"y", {0, 0, 1, 5}, 0.5, 0.25, 0.125, 2, {"within_bound: ...", "y[..]"}, "R"};
  record.errors[0].failure = failure;
  EXPECT_EQ(findings(record)[0].text,
            "fused sim breaks within_bound; worst y[0,0,1,5]: got 0.5, exact 0.25, bound 0.125, "
            "ratio 2; R");
  failure.tensor = "";
  failure.report = {"launches: ...", "status 11: refused"};
  record.errors[0].broken = "launches";
  record.errors[0].failure = failure;
  EXPECT_EQ(findings(record)[0].text, "fused sim breaks launches: status 11: refused; R");
}

TEST(Findings, what_broke_is_found_but_a_gap_is_only_shown) {
  Record record = sample();
  record.skips = {{"timing", "eager attention", "too large"},
                  {"timing", "fused softmax", "the machine refused the launch", true}};
  const std::vector<Finding> found = findings(record);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "broke: fused softmax: the machine refused the launch");
}

TEST(Findings, a_record_without_any_measurement_is_not_clean) {
  ASSERT_EQ(findings(Record{}).size(), 1u);
  EXPECT_EQ(findings(Record{})[0].text, "nothing was measured");
}

TEST(Findings, slower_needs_the_whole_interval_below_one) {
  Record record = sample();
  record.timings = {timing_entry(0.9, 1.01), timing_entry(0.8, 0.99), timing_entry(1.0, 1.2)};
  const std::vector<Finding> found = findings(record);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("slower than eager"), std::string::npos);
}

TEST(Findings, a_time_of_wrong_outputs_is_found_but_a_peer_is_only_shown) {
  Record record = sample();
  record.timings[0].verified = false;
  record.timings[0].edge_verdict = "vacuous";
  EXPECT_TRUE(findings(record).empty());
  record.timings[0].edge_verdict = "fail";
  EXPECT_EQ(findings(record).size(), 1u);
  record.timings[0].implementation = "torch.softmax";
  EXPECT_TRUE(findings(record).empty());
}

TEST(Findings, our_false_alarms_and_mutants_that_change_nothing_are_found) {
  Record record;
  record.criteria = {criteria_entry("", 0, 0), criteria_entry("scores", 4, 2)};
  EXPECT_TRUE(findings(record).empty());  // a public criterion's false alarm is only shown
  record.criteria = {criteria_entry("", 0, 2), criteria_entry("scores", 0, 0)};
  const std::vector<Finding> found = findings(record);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].text, "the right attention is rejected in 2 of 9 runs by: bound");
  EXPECT_EQ(found[1].text, "scores: no bit differs in 9 runs: nothing compared");
}

TEST(Findings, a_right_kernel_that_leaves_a_bound_and_a_search_that_judged_nothing_are_found) {
  Record record;
  record.soundness = {soundness_entry(7, {})};  // cut short is no finding
  EXPECT_TRUE(findings(record).empty());
  record.soundness = {soundness_entry(7, {"fused: y[3]"}), soundness_entry(0, {})};
  const std::vector<Finding> found = findings(record);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].section, "soundness");
  EXPECT_EQ(found[0].text, "a right kernel on sim fails: fused: y[3]");
  EXPECT_EQ(found[1].text, "softmax fp32 on sim: nothing was judged");
  record.soundness[1].wanted = 0;  // climbs only
  EXPECT_EQ(findings(record).size(), 1u);
}

}  // namespace
}  // namespace oddtile::reports
