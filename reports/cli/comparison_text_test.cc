#include "reports/cli/comparison_text.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

ComparedEntry baseline() {
  ComparedEntry entry{.case_text = "softmax columns=8", .library = "before.so"};
  entry.configuration = "8 lanes";
  entry.us_median = 12.5;
  entry.copy_us = 12;
  entry.copy_share = 0.96;
  entry.verdict = "pass";
  return entry;
}

ComparedEntry other() {
  ComparedEntry entry = baseline();
  entry.library = "new.so";
  entry.baseline = "before.so";
  entry.slowdown = 1.05;
  entry.slowdown_low = 1.04;
  entry.slowdown_high = 1.0625;
  entry.bits = {{"o", 100, 0}, {"lse", 10, 3}};
  return entry;
}

TEST(ComparisonText, ALineALibrary) {
  EXPECT_EQ(comparison_text({baseline(), other()}),
            "softmax columns=8\n"
            "  before.so       12.50 us  0.960 of copy                                        "
            "pass  (8 lanes)\n"
            "  new.so          12.50 us  0.960 of copy  1.0500 [1.0400, 1.0625]   "
            "lse: 3 of 10 elements differ  pass  (8 lanes)\n");
}

TEST(ComparisonText, EqualBitsAndRates) {
  ComparedEntry entry = other();
  entry.bits[1].differing = 0;
  entry.copy_us = 0;
  EXPECT_NE(comparison_text({entry}).find("equal bits"), std::string::npos);
  EXPECT_NE(comparison_text({entry}).find("no rate"), std::string::npos);
  entry.bits.clear();
  EXPECT_EQ(comparison_text({entry}).find("equal"), std::string::npos) << "nothing was compared";
  entry.rate = 612.34;
  entry.rate_unit = "TFLOP/s";
  EXPECT_NE(comparison_text({entry}).find("612.3 TFLOP/s"), std::string::npos);
}

TEST(ComparisonText, FindingsHaveALine) {
  ComparedEntry slow = other();
  slow.finding = "slower than 1.03";
  EXPECT_NE(comparison_text({slow}).find("    FINDING: slower than 1.03\n"), std::string::npos);
  ComparedEntry wrong = other();
  wrong.verdict = "pass, edges fail";
  wrong.finding = "wrong output";
  wrong.explanation = "edges y[row 0, column 1]: got 2";
  const std::string text = comparison_text({wrong});
  EXPECT_NE(text.find("\n    edges y[row 0, column 1]: got 2\n    FINDING: wrong output\n"),
            std::string::npos)
      << text;
  ComparedEntry none = baseline();
  none.problem = "does not offer this case";
  none.finding = "not compared";
  EXPECT_EQ(
      comparison_text({none}),
      "softmax columns=8\n  before.so  does not offer this case\n    FINDING: not compared\n");
}

}  // namespace
}  // namespace oddtile::reports
