#include "reports/record/compared.h"

#include <gtest/gtest.h>

namespace oddtile::reports {
namespace {

TEST(Compared, JsonHasWhatThereIs) {
  ComparedEntry first{.case_text = "attention seq_q=1", .library = "a.so"};
  first.us_median = 12.5;
  ComparedEntry second = first;
  second.library = "b.so";
  second.baseline = "a.so";
  second.slowdown = 1.25;
  second.bits = {{"lse", 7, 3}};
  ComparedEntry third = second;
  third.problem = "does not offer this case";
  third.finding = "not compared";
  const std::string text = to_json({first, second, third});
  const auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
  EXPECT_TRUE(has("\"us_median\": 12.5") && has("\"slowdown\": 1.25")) << text;
  EXPECT_TRUE(has("\"differing\": 3") && has("\"problem\": \"does not offer this case\"")) << text;
  EXPECT_TRUE(has("\"finding\": \"\"") && has("\"finding\": \"not compared\"")) << text;
  EXPECT_EQ(text.find("slowdown\""), text.rfind("slowdown\"")) << "the first and third have none";
  EXPECT_FALSE(has("copy_us") || has("rate")) << text;
}

}  // namespace
}  // namespace oddtile::reports
