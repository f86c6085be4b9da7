// The choice of a softmax configuration, as a table; and what an id says.
#include <gtest/gtest.h>

#include <utility>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];

oddtile_softmax_problem problem(oddtile_dtype dtype, int64_t rows, int64_t columns,
                                int64_t stride = -1) {
  if (stride < 0) stride = columns;
  return {dtype, rows, columns, memory + 32, stride, memory, stride, nullptr, 0};
}

constexpr int64_t kMany = 100000;
constexpr SoftmaxMachine kMachine = {227 * 1024, 16};

// Of those that take elements, and a block of lanes with two vectors.
constexpr int32_t kW = kSoftmaxWords;
constexpr int32_t kBlock2 = kW + 9;

int32_t choose(const oddtile_softmax_problem& p) {
  return choose_softmax(p, kMachine);
}

TEST(SoftmaxChoice, ManyRows) {
  const struct {
    int64_t columns;
    int32_t fp32, bf16;
  } table[] = {
      {1, kW, 57},
      {32, 0, 0},
      {64, 1, 0},
      {100, 3, 23},
      {127, kW + 3, 24},
      {128, 3, 1},
      {129, kW + 4, 24},
      {137, kW + 4, 63},
      {199, kW + 6, 63},
      {255, kW + 6, 64},
      {256, 5, 3},
      {511, 8, 27},
      {512, 7, 5},
      {781, kBlock2, 28},
      {1000, 60, 7},
      {1024, 60, 7},
      {2048, 60, 61},
      {4095, 60, 11},
      {4096, 60, 59},
      {4097, 60, 11},
      {8192, 60, 59},
      {12672, 52, 11},
      {16384, 10, 10},
      {20000, 52, 10},
      {32768, 53, 52},
      {50257, 53, 52},
      {65536, 54, 53},
      {128256, 54, 53},
      {200000, 56, 55},
      {262144, 56, 54},
      {262145, 56, 55},
      {524288, 48, 56},
      {800000, 50, 49},
      {1048576, 48, 49},
      {1200000, 51, 48},
      {1500000, 30, 51},
      {int64_t(1) << 31, 30, 30},
  };
  for (const auto& row : table) {
    EXPECT_EQ(choose(problem(oddtile_fp32, kMany, row.columns)), row.fp32) << row.columns;
    EXPECT_EQ(choose(problem(oddtile_fp16, kMany, row.columns)), row.bf16) << row.columns;
    EXPECT_EQ(choose(problem(oddtile_bf16, kMany, row.columns)), row.bf16) << row.columns;
  }
}

TEST(SoftmaxChoice, FewSlotsStayIdle) {
  // 264 vectors: 9 for each of 32 lanes, not 8 for each of 64.
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 2049)), 11);
  EXPECT_EQ(softmax_plan(problem(oddtile_bf16, kMany, 2049), 11).threads, 32);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 2501)), 9);    // 4 x 96 slots, not 8 x 64
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 3201)), 10);   // level: 8 x 64, 4 x 128
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 12673)), 11);  // 9 x 192, level with 4 x 416
}

TEST(SoftmaxChoice, LanesThatDivideARowUnevenly) {
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 2056)), 9);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 3072)), 59) << "4 vectors for each of 96 lanes";
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 3080)), 9);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 8448)), 11);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 2049)), 9);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 3001)), 60);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 8196)), 9);
  auto p = problem(oddtile_fp32, kMany, 4096);
  EXPECT_EQ(softmax_plan(p, 60).threads, 256 + 64);
  EXPECT_FALSE(softmax_admits(problem(oddtile_fp32, kMany, 16384), 60, kMachine));
  p.x = p.y;
  EXPECT_EQ(choose(p), 62) << "in place";
  p.columns = 4097;
  EXPECT_EQ(choose(p), 60);
  p.x = memory + 1;
  EXPECT_EQ(choose(p), 9);
}

TEST(SoftmaxChoice, EndsOfWhatWasMeasured) {
  for (const auto& [columns, index] : {std::pair(733, 9),
                                       {734, 61},
                                       {777, 61},
                                       {778, kBlock2},
                                       {993, kBlock2},
                                       {994, 9},
                                       {972, 9},
                                       {976, 60},
                                       {2781, 9},
                                       {2782, 60},
                                       {8161, 60},
                                       {8162, 11}}) {
    EXPECT_EQ(choose(problem(oddtile_fp32, kMany, columns)), index) << columns;
  }
  const auto in_place = [](oddtile_dtype dtype, int64_t rows, int64_t columns) {
    auto p = problem(dtype, rows, columns);
    p.x = p.y;
    return p;
  };
  for (const auto& [columns, index] : {std::pair(4088, 9), {4096, 62}, {8192, 62}, {8200, 11}}) {
    EXPECT_EQ(choose(in_place(oddtile_bf16, kMany, columns)), index) << columns;
  }
  for (const auto& [columns, index] : {std::pair(2044, 60), {2048, 62}, {4096, 62}, {4100, 60}}) {
    EXPECT_EQ(choose(in_place(oddtile_fp32, kMany, columns)), index) << columns;
  }
  EXPECT_EQ(choose(in_place(oddtile_fp32, 4999, 4096)), 44) << "few rows";
  EXPECT_EQ(choose(in_place(oddtile_fp32, 5000, 4096)), 62);
}

TEST(SoftmaxChoice, GapsAndShifts) {
  // 126 vectors from 16-byte boundaries, 133 from 128-byte ones.
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 1000, 1001)), 46);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 801, 802)), 7);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 800, 801)), 28);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 321, 322)), 26);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 320, 321)), 4);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 200, 201)), 63);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 129, 130)), 24);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 209, 210)), 64);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 255, 256)), 3) << "all start in one bank";
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 256, 257)), 64);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 257, 258)), 4);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 64, 65)), 22);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 129, 130)), kW + 4);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 255, 256)), kW + 5);
  auto same_banks = problem(oddtile_bf16, kMany, 128);
  same_banks.x = reinterpret_cast<const uint16_t*>(memory) + 33;
  EXPECT_EQ(choose(same_banks), 58);
  EXPECT_EQ(choose(problem(oddtile_bf16, kMany, 127, 128)), 1);
  auto gaps = problem(oddtile_bf16, kMany, 1000, 1001);
  gaps.x = memory;
  EXPECT_FALSE(softmax_cuts_sectors(gaps)) << "in place x has brought them";
  gaps.x = memory + 32;
  EXPECT_TRUE(softmax_cuts_sectors(gaps));
  gaps.rows = 1;
  EXPECT_FALSE(softmax_cuts_sectors(gaps)) << "nothing beside it";
  auto level = problem(oddtile_bf16, kMany, 16384);
  EXPECT_EQ(choose(level), 10);
  level.y = memory + 1;  // 2049 vectors: 9 for each of 256 lanes, not 8 for each of 288
  EXPECT_EQ(choose(level), 11);
}

TEST(SoftmaxChoice, LongRowsByHowTheyLie) {
  auto ragged = [](int64_t columns) { return choose(problem(oddtile_bf16, kMany, columns)); };
  EXPECT_EQ(ragged(36001), 11);
  EXPECT_EQ(ragged(80001), 53);
  const std::pair<int64_t, std::pair<int32_t, int32_t>> otherwise[] = {
      {16384, {10, 10}},  {24000, {52, 10}},  {32768, {53, 10}}, {40000, {53, 52}},
      {131072, {55, 53}}, {300000, {56, 54}}, {524288, {17, 56}}};
  for (const auto& [columns, index] : otherwise) {
    auto p = problem(oddtile_fp32, kMany, columns);
    p.x = memory + 1;
    EXPECT_EQ(choose(p), index.first) << columns;
    p.dtype = oddtile_bf16;
    EXPECT_EQ(choose(p), index.second) << columns;
  }
}

TEST(SoftmaxChoice, LongRowsThatAreNotCopiedAsTheyAreDoNotStay) {
  auto p = problem(oddtile_fp32, kMany, 1048576);
  EXPECT_TRUE(softmax_admits(p, 50, kMachine));
  p.x = memory + 1;
  EXPECT_FALSE(softmax_admits(p, 50, kMachine)) << "only copies can be brought ahead";
  EXPECT_EQ(choose(p), 21);
}

TEST(SoftmaxChoice, LongRowsByHowManyThereAre) {
  const struct {
    int64_t rows, columns;
    int32_t fp32, bf16;
  } table[] = {
      // Few take so many blocks that registers hold them.
      {1, 32768, 53, 52},
      {1, 65536, 54, 53},
      {8, 131072, 56, 54},
      {9, 131072, 54, 53},
      {1, 262144, 56, 56},
      {64, 262144, 56, 54},
      // Clusters stay where there is another row for them.
      {7, 500000, 17, 56},
      {16, 500000, 48, 56},
      {7, 1048576, 21, 17},
      {9, 1048576, 48, 17},
      {64, 800000, 50, 17},
      {96, 1048576, 48, 49},
      {64, 1200000, 51, 17},
  };
  for (const auto& row : table) {
    EXPECT_EQ(choose(problem(oddtile_fp32, row.rows, row.columns)), row.fp32)
        << row.rows << " " << row.columns;
    EXPECT_EQ(choose(problem(oddtile_bf16, row.rows, row.columns)), row.bf16)
        << row.rows << " " << row.columns;
  }
}

TEST(SoftmaxChoice, StridesOfOneRowMeanNothing) {
  for (oddtile_dtype dtype : {oddtile_fp32, oddtile_bf16}) {
    const int32_t expected = choose(problem(dtype, 1, 100));
    auto p = problem(dtype, 1, 100);
    p.x_row_stride = p.y_row_stride = INT64_MIN;
    EXPECT_EQ(choose(p), expected);
    p.x_row_stride = p.y_row_stride = INT64_MAX;
    EXPECT_EQ(choose(p), expected);
  }
}

TEST(SoftmaxChoice, MaskedRowsSoonHaveManyVectors) {
  static uint8_t mask[16];
  const auto masked = [&](oddtile_dtype dtype, int64_t columns) {
    auto p = problem(dtype, kMany, columns);
    p.mask = mask;
    p.mask_row_stride = columns;
    return choose(p);
  };
  EXPECT_EQ(masked(oddtile_fp32, 129), 24);
  EXPECT_EQ(masked(oddtile_fp32, 199), 63);
  EXPECT_EQ(masked(oddtile_fp32, 201), 64);
  EXPECT_EQ(masked(oddtile_fp32, 255), 64);
  EXPECT_EQ(masked(oddtile_fp32, 257), 26);
  auto gaps = problem(oddtile_bf16, kMany, 209, 210);
  gaps.mask = mask;
  gaps.mask_row_stride = 210;
  EXPECT_EQ(choose(gaps), 64);
  gaps.columns = 257;
  gaps.x_row_stride = gaps.y_row_stride = gaps.mask_row_stride = 258;
  EXPECT_EQ(choose(gaps), 4);
  EXPECT_EQ(masked(oddtile_fp32, 781), 28);
  EXPECT_EQ(masked(oddtile_fp32, 256), 5);
  EXPECT_EQ(masked(oddtile_fp32, 2048), 61);
  EXPECT_EQ(masked(oddtile_fp32, 4097), 61);
  EXPECT_EQ(masked(oddtile_fp32, 4500), 11);
  EXPECT_EQ(masked(oddtile_fp32, 6000), 10);
  EXPECT_EQ(masked(oddtile_fp32, 8192), 61);
  EXPECT_EQ(masked(oddtile_fp32, 11000), 11) << "three blocks on a multiprocessor";
  EXPECT_EQ(masked(oddtile_fp32, 4096), 61);
  EXPECT_EQ(masked(oddtile_fp32, 12000), 65);
  EXPECT_EQ(masked(oddtile_fp32, 14000), 10) << "four small blocks would have idle lanes";
  EXPECT_EQ(masked(oddtile_fp32, 16384), 65);
  EXPECT_EQ(masked(oddtile_fp32, 18432), 11);
  EXPECT_EQ(masked(oddtile_fp32, 32768), 65);
  EXPECT_EQ(masked(oddtile_fp32, 65536), 65);
  EXPECT_EQ(masked(oddtile_fp32, 65540), 55);
  EXPECT_EQ(masked(oddtile_fp32, 262144), 56);
  EXPECT_EQ(masked(oddtile_fp16, 4097), 11);
  EXPECT_EQ(masked(oddtile_bf16, 100), 23);
  EXPECT_EQ(masked(oddtile_bf16, 2048), 9);
  EXPECT_EQ(masked(oddtile_bf16, 4096), 9);
  EXPECT_EQ(masked(oddtile_bf16, 8192), 10);
  EXPECT_EQ(masked(oddtile_bf16, 32768), 65);
  EXPECT_EQ(masked(oddtile_bf16, 65536), 65);
}

TEST(SoftmaxChoice, FewRowsGetMoreLanes) {
  // Rows of whole vectors have a form of their own.
  EXPECT_EQ(choose(problem(oddtile_fp32, 1, 128)), 38);
  EXPECT_EQ(choose(problem(oddtile_bf16, 16, 100)), 38);
  EXPECT_EQ(choose(problem(oddtile_bf16, 16, 512)), 40);
  EXPECT_EQ(choose(problem(oddtile_fp32, 16, 1024)), 42);
  EXPECT_EQ(choose(problem(oddtile_bf16, 1024, 8192)), 44);
  EXPECT_EQ(choose(problem(oddtile_fp32, 16, 8192)), 45);
  // How few that are depends on how long they are.
  EXPECT_EQ(choose(problem(oddtile_fp32, 699, 128)), 38);
  EXPECT_EQ(choose(problem(oddtile_bf16, 1100, 1024)), 7);
  EXPECT_EQ(choose(problem(oddtile_fp32, 4096, 4096)), 44);
  EXPECT_EQ(choose(problem(oddtile_fp32, 5000, 4096)), 60);
  // Others.
  EXPECT_EQ(choose(problem(oddtile_bf16, 8, 63)), 5);
  EXPECT_EQ(choose(problem(oddtile_bf16, 9, 63)), 1);
  EXPECT_EQ(choose(problem(oddtile_fp32, 16, 16384)), 9);
  EXPECT_EQ(choose(problem(oddtile_bf16, 16, 99)), 2);  // no tile
}

TEST(SoftmaxChoice, TilesAreForGapsOfLessThanAVector) {
  const auto tiled = [](auto change) {
    auto p = problem(oddtile_bf16, kMany, 129);
    change(p);
    const int32_t chosen = choose(p);
    return kSoftmaxConfigurations[chosen].form == SoftmaxForm::tile;
  };
  EXPECT_TRUE(tiled([](auto&) {}));
  EXPECT_TRUE(tiled([](auto& p) { p.y = memory + 1; }));
  EXPECT_TRUE(tiled([](auto& p) { p.x_row_stride = p.y_row_stride = 130; }));
  EXPECT_FALSE(tiled([](auto& p) { p.x_row_stride = p.y_row_stride = 137; }));
  EXPECT_FALSE(tiled([](auto& p) { p.x_row_stride = p.y_row_stride = 16, p.columns = 15; }));
  EXPECT_FALSE(tiled([](auto& p) { p.x_row_stride = 130; }));
  EXPECT_FALSE(tiled([](auto& p) { p.dtype = oddtile_fp32; }));
  EXPECT_FALSE(tiled([](auto& p) { p.x_row_stride = p.y_row_stride = 136, p.columns = 128; }));
}

TEST(SoftmaxChoice, LittleSharedMemoryIsEnoughForSomething) {
  const auto p = problem(oddtile_fp32, kMany, 65536);
  EXPECT_EQ(choose_softmax(p, {163 * 1024, 1}), 13);
  EXPECT_EQ(choose_softmax(p, {99 * 1024, 1}), kSoftmaxOnline);
}

TEST(SoftmaxChoice, WhatIsChosenIsAdmissible) {
  for (int dtype = 0; dtype < 3; ++dtype) {
    for (int64_t rows : {int64_t(1), int64_t(599), kMany, int64_t(1) << 40}) {
      for (int64_t columns = 0; columns < 80000; columns = columns * 33 / 32 + 1) {
        const auto p = problem(oddtile_dtype(dtype), rows, columns, 0);
        const int32_t index = choose(p);
        // Only a grid that no launch can have is refused.
        if (rows < (int64_t(1) << 31)) {
          EXPECT_TRUE(softmax_admits(p, index, kMachine)) << columns;
        }
      }
    }
  }
}

TEST(SoftmaxChoice, AnIdSaysHowTheRowsLie) {
  EXPECT_EQ(softmax_id(problem(oddtile_fp32, 8, 100, 100), 2), 2);  // multiples of 16 bytes
  EXPECT_EQ(softmax_id(problem(oddtile_fp32, 8, 100, 101), 3), 3 | (101 % 32) << 16);
  auto p = problem(oddtile_fp32, 8, 100, 100);
  p.x = memory + 1;
  EXPECT_EQ(softmax_id(p, 3), 3) << "the order of sums follows y";
  p.y = memory + 1;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8 | (100 % 32) << 16);
  p.rows = 1;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8);
  p.y_row_stride = -4;
  p.rows = 2;
  EXPECT_EQ(softmax_id(p, 3), 3 | 1 << 8 | 28 << 16);
  p.dtype = oddtile_bf16;
  EXPECT_EQ(softmax_id(p, 22), 22) << "a tile sums by columns";
  p.dtype = oddtile_fp32;
  EXPECT_EQ(softmax_id(p, kW), kW);
}

}  // namespace
}  // namespace oddtile
