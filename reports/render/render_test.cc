#include "reports/render/render.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "reports/render/sample.h"

namespace oddtile::reports {
namespace {

TEST(Render, the_page_starts_with_the_verdict_and_escapes) {
  const std::string page = render_page(sample());
  EXPECT_TRUE(contains(page, "Clean: no findings"));
  EXPECT_TRUE(contains(page, "no &lt;driver&gt; &amp; no device"));
  EXPECT_LT(page.find("Clean"), page.find("0123abc"));
  EXPECT_TRUE(contains(page, "<td>tail</td>"));
  EXPECT_FALSE(contains(page, "{{"));
  EXPECT_FALSE(contains(page, "http://") && contains(page, "<link"));  // self-contained
}

TEST(Render, a_finding_leads) {
  Record record = sample();
  record.errors[0].verdict = "fail";
  record.errors[0].broken = "within_bound";
  record.errors[0].quantities[0].worst_share = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(render_page(record), "1 finding<"));
  EXPECT_TRUE(contains(render_summary(record), "**1 finding**"));
  EXPECT_TRUE(contains(render_summary(record), "breaks within_bound"));
}

TEST(Render, the_summary_is_a_markdown_table) {
  const std::string summary = render_summary(sample());
  EXPECT_TRUE(contains(summary, "| ---: |"));
  EXPECT_TRUE(contains(summary, "fused moves 2.00 times the minimum"));
  EXPECT_TRUE(contains(summary, "Least speedup over eager: 4.00 [3.50, 4.50]"));
  EXPECT_TRUE(contains(summary, "its workspace is too large"));
  EXPECT_TRUE(contains(summary, "75 %"));            // of the copy rate
  EXPECT_TRUE(contains(summary, "hides the rest"));  // of a 16-bit softmax
  EXPECT_TRUE(contains(summary, "| last_max | 0.250 |"));
  EXPECT_TRUE(contains(summary, "| tail | Keys end. | 8 of 10 | 2 (25 %) | 8 (100 %) |"));
}

TEST(Render, an_empty_record_renders) {
  EXPECT_TRUE(contains(render_page(Record{}), "</html>"));
  EXPECT_TRUE(contains(render_summary(Record{}), "oddtile report"));
}

TEST(Plots, without_gnuplot_the_page_says_so) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::string page = render_page(sample());
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(contains(page, "No plots on this page: gnuplot is not installed"));
  EXPECT_FALSE(contains(page, "<svg"));
}

}  // namespace
}  // namespace oddtile::reports
