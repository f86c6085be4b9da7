#include "reports/render/render.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "reports/render/charts.h"
#include "reports/render/format.h"
#include "reports/render/tables.h"

namespace oddtile::reports {
namespace {

Record sample() {
  Record record;
  record.environment = {.commit = "0123abc",
                        .date = "2026-01-01T00:00:00Z",
                        .compiler = "clang 14",
                        .no_device = "no <driver> & no device",
                        .machines = {{"sim", "simulator"}}};
  for (const int64_t size : {64, 128}) {
    record.errors.push_back({"sim",
                             "fused",
                             "softmax",
                             "fp32",
                             "last_max",
                             size,
                             "softmax",
                             "pass",
                             "",
                             1,
                             {{"y", 0.25 * double(size) / 64, 0, 0, 0, 10, 0}}});
    for (const char* which : {"fused", "eager"}) {
      record.io.push_back({"attention", which, "attention bf16 d64 full", size,
                           "attention seq_k=" + std::to_string(size), 4096, 1024, 99, 1, 2048, 512,
                           8192});
    }
    record.timings.push_back({.machine = "cuda",
                              .kernel = "softmax",
                              .implementation = "fused",
                              .series = "softmax fp32",
                              .size = size,
                              .us_median = 10,
                              .rate = 3000,
                              .rate_unit = "GB/s",
                              .baseline = "eager",
                              .ratio = 4,
                              .ratio_low = 3.5,
                              .ratio_high = 4.5,
                              .verdict = "pass",
                              .edge_verdict = "pass",
                              .verified = true});
  }
  record.skips = {{"timing", "eager attention", "its workspace is too large"}};
  record.ceilings.copy_gb_s = 4000;
  return record;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Format, numbers_read_well) {
  EXPECT_EQ(size_text(781), "781");
  EXPECT_EQ(size_text(16384), "16k");
  EXPECT_EQ(size_text(int64_t(1) << 28), "256M");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(67108864), "67.1 MB");
  EXPECT_EQ(share_text(0.41234), "0.412");
  EXPECT_EQ(share_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(count_text(1234567), "1 234 567");
  EXPECT_EQ(count_text(123), "123");
}

TEST(Render, the_page_starts_with_the_verdict_and_escapes) {
  const std::string page = render_page(sample());
  EXPECT_TRUE(contains(page, "Clean: no findings"));
  EXPECT_TRUE(contains(page, "no &lt;driver&gt; &amp; no device"));
  EXPECT_LT(page.find("Clean"), page.find("0123abc"));
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
  EXPECT_TRUE(contains(summary, "75 %"));  // of the copy rate
}

TEST(Render, an_empty_record_renders) {
  EXPECT_TRUE(contains(render_page(Record{}), "</html>"));
  EXPECT_TRUE(contains(render_summary(Record{}), "oddtile report"));
}

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

TEST(Plots, a_script_cannot_be_broken_by_a_name) {
  const Plot plot{.size_label = "a\"b`c", .curves = {{"x\\\"y", {{1, 1, 0, 0}}}}};
  EXPECT_TRUE(contains(gnuplot_script(plot), "\"abc\""));
  EXPECT_TRUE(contains(gnuplot_script(plot), "\"xy\""));
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
