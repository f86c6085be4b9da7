// The argument checks of softmax.
#include <gtest/gtest.h>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

TEST(SoftmaxArguments, BadOnesGetAStatus) {
  static float x[256], y[256];
  static uint8_t mask[256];
  const oddtile_softmax_problem good = {oddtile_fp32, 4, 16, x, 16, y, 16, mask, 16};
  EXPECT_EQ(check_softmax(good), oddtile_ok);
  const auto status_with = [&](auto change) {
    oddtile_softmax_problem problem = good;
    change(problem);
    return check_softmax(problem);
  };
  auto* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(y) + 2);
  EXPECT_EQ(status_with([](auto& p) { p.dtype = oddtile_dtype(7); }), oddtile_bad_dtype);
  EXPECT_EQ(status_with([](auto& p) { p.rows = -1; }), oddtile_bad_shape);
  EXPECT_EQ(status_with([](auto& p) { p.columns = (int64_t(1) << 31) + 1; }), oddtile_bad_shape);
  EXPECT_EQ(status_with([](auto& p) { p.x_row_stride = INT64_MIN; }), oddtile_bad_shape);
  EXPECT_EQ(status_with([](auto& p) { p.x = nullptr; }), oddtile_null_pointer);
  EXPECT_EQ(status_with([](auto& p) { p.y = nullptr; }), oddtile_null_pointer);
  EXPECT_EQ(status_with([](auto& p) { p.columns = 0, p.x = p.y = nullptr; }), oddtile_ok);
  EXPECT_EQ(status_with([&](auto& p) { p.y = odd; }), oddtile_misaligned);
  EXPECT_EQ(status_with([](auto& p) { p.y_row_stride = 15; }), oddtile_bad_stride);
  EXPECT_EQ(status_with([](auto& p) { p.y_row_stride = -16; }), oddtile_bad_stride);
  EXPECT_EQ(status_with([](auto& p) { p.y_row_stride = 0, p.rows = 1; }), oddtile_ok);
  EXPECT_EQ(status_with([](auto& p) { p.x_row_stride = 0; }), oddtile_ok);
  EXPECT_EQ(status_with([](auto& p) { p.y = x; }), oddtile_ok);
  EXPECT_EQ(status_with([](auto& p) { p.y = x, p.y_row_stride = 17; }), oddtile_overlap);
  EXPECT_EQ(status_with([](auto& p) { p.y = x + 1; }), oddtile_overlap);
  EXPECT_EQ(status_with([](auto& p) { p.y = x + 32; }), oddtile_overlap);
  EXPECT_EQ(status_with([](auto& p) { p.y = mask; }), oddtile_overlap);
  // Rows of x and y that take turns in one buffer share nothing.
  const auto interleave = [](auto& p) { p.y = x + 16, p.x_row_stride = p.y_row_stride = 32; };
  EXPECT_EQ(status_with(interleave), oddtile_ok);
  const auto almost = [](auto& p) { p.y = x + 15, p.x_row_stride = p.y_row_stride = 32; };
  EXPECT_EQ(status_with(almost), oddtile_overlap);
}

}  // namespace
}  // namespace oddtile
