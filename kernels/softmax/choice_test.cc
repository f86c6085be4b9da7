// The choice of a softmax configuration, as a table; and what an id says.
#include <gtest/gtest.h>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];

oddtile_softmax_problem problem(oddtile_dtype dtype, int64_t rows, int64_t columns,
                                int64_t stride = -1) {
  if (stride < 0) stride = columns;
  return {dtype, rows, columns, memory, stride, memory, stride, nullptr, 0};
}

constexpr int64_t kMany = 100000;

TEST(SoftmaxChoice, ManyRows) {
  const struct {
    int64_t columns;
    int32_t fp32, fp16;
  } table[] = {
      {1, 0, 0},        {32, 0, 0},        {64, 1, 0},
      {100, 2, 2},      {127, 3, 2},       {128, 2, 1},
      {129, 3, 2},      {255, 5, 3},       {256, 4, 2},
      {511, 6, 5},      {512, 6, 4},       {781, 7, 6},
      {1000, 7, 6},     {1024, 7, 6},      {2048, 8, 7},
      {4095, 9, 11},    {4096, 9, 11},     {4097, 9, 11},
      {8192, 10, 12},   {12672, 14, 13},   {16384, 14, 13},
      {32768, 15, 14},  {50257, 16, 15},   {65536, 16, 15},
      {128256, 16, 16}, {1048576, 16, 16}, {int64_t(1) << 31, 16, 16},
  };
  for (const auto& row : table) {
    EXPECT_EQ(choose_softmax(problem(oddtile_fp32, kMany, row.columns)), row.fp32) << row.columns;
    EXPECT_EQ(choose_softmax(problem(oddtile_fp16, kMany, row.columns)), row.fp16) << row.columns;
    EXPECT_EQ(choose_softmax(problem(oddtile_bf16, kMany, row.columns)), row.fp16) << row.columns;
  }
}

TEST(SoftmaxChoice, MaskedRowsGetFewerLanes) {
  static uint8_t mask[16];
  const auto masked = [&](int64_t columns) {
    auto p = problem(oddtile_fp32, kMany, columns);
    p.mask = mask;
    return choose_softmax(p);
  };
  EXPECT_EQ(masked(256), 4);
  EXPECT_EQ(masked(1024), 7);
  EXPECT_EQ(masked(2048), 11);
  EXPECT_EQ(masked(4096), 12);
  EXPECT_EQ(masked(8192), 13);
}

TEST(SoftmaxChoice, FewRowsGetMoreLanes) {
  EXPECT_EQ(choose_softmax(problem(oddtile_fp32, 16, 128)), 4);
  EXPECT_EQ(choose_softmax(problem(oddtile_fp32, 16, 1024)), 7);
  EXPECT_EQ(choose_softmax(problem(oddtile_fp32, 16, 4096)), 9);
  EXPECT_EQ(choose_softmax(problem(oddtile_fp32, 16, 16384)), 14);  // as with many rows
  EXPECT_EQ(choose_softmax(problem(oddtile_bf16, 16, 4096)), 8);
  EXPECT_EQ(choose_softmax(problem(oddtile_bf16, 16, 8192)), 9);
}

TEST(SoftmaxChoice, WhatIsChosenIsAdmissible) {
  for (int dtype = 0; dtype < 3; ++dtype) {
    for (int64_t rows : {int64_t(1), int64_t(599), kMany, int64_t(1) << 40}) {
      for (int64_t columns = 0; columns < 80000; columns = columns * 33 / 32 + 1) {
        const auto p = problem(oddtile_dtype(dtype), rows, columns, 0);
        const int32_t index = choose_softmax(p);
        // Only a grid that no launch can have is refused.
        if (rows < (int64_t(1) << 31)) EXPECT_TRUE(softmax_admits(p, index)) << columns;
      }
    }
  }
}

TEST(SoftmaxChoice, AnIdSaysHowTheRowsLie) {
  EXPECT_EQ(softmax_id(problem(oddtile_fp32, 8, 100, 100), 2), 2);  // multiples of 16 bytes
  EXPECT_EQ(softmax_id(problem(oddtile_fp32, 8, 100, 101), 3), 3 | (101 % 32) << 16);
  auto p = problem(oddtile_fp32, 8, 100, 100);
  p.x = memory + 1;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8 | (100 % 32) << 16);
  p.rows = 1;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8);
  p.x_row_stride = -4;
  p.rows = 2;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8 | 28 << 16);
}

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
