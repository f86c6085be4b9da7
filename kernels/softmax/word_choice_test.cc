// Which short fp32 rows are taken element by element.
#include <gtest/gtest.h>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];
constexpr int64_t kMany = 100000;
constexpr int32_t kW = kSoftmaxWords;
constexpr SoftmaxMachine kMachine = {227 * 1024, 16};

oddtile_softmax_problem problem(oddtile_dtype dtype, int64_t rows, int64_t columns,
                                int64_t stride = -1) {
  if (stride < 0) stride = columns;
  return {dtype, rows, columns, memory + 32, stride, memory, stride, nullptr, 0};
}

int32_t choose(const oddtile_softmax_problem& p) {
  return choose_softmax(p, kMachine);
}

TEST(SoftmaxWordChoice, ShortFp32Rows) {
  const auto words = [](int64_t rows, int64_t columns, int64_t x_offset = 0) {
    auto p = problem(oddtile_fp32, rows, columns);
    p.x = memory + 32 + x_offset;
    const int32_t chosen = choose(p);
    return kSoftmaxConfigurations[chosen].form == SoftmaxForm::words;
  };
  // Where a vector would be cut, whatever their number; longer ones where they are few thousands.
  for (int64_t rows : {int64_t(1), int64_t(600), kMany}) {
    for (int64_t columns : {1, 33, 63, 127, 129, 255, 257, 319}) {
      EXPECT_TRUE(words(rows, columns)) << rows << " " << columns;
    }
  }
  EXPECT_TRUE(words(4999, 511));
  EXPECT_FALSE(words(5000, 511));
  EXPECT_FALSE(words(4999, 513));
  // Whole vectors between few rows and many, or where x lies otherwise.
  for (int64_t rows : {699, 700, 4999, 5000}) {
    EXPECT_EQ(words(rows, 128), rows >= 700 && rows < 5000) << rows;
    EXPECT_EQ(words(rows, 260), rows == 4999) << rows;
  }
  EXPECT_TRUE(words(1100, 260));
  EXPECT_FALSE(words(1100, 324));
  EXPECT_TRUE(words(kMany, 128, 1));
  // Whole ones, more than the L2 holds: all lanes busy.
  for (int64_t columns : {32, 60, 64, 96, 100, 128, 160, 192, 224}) {
    const bool busy = columns % 32 == 0 && columns >= 64 && columns <= 192;
    const int64_t much = (int64_t(1) << 24) / columns;
    EXPECT_EQ(words(much, columns), busy) << columns;
    EXPECT_FALSE(words(much - 1, columns)) << columns;
  }
  EXPECT_FALSE(words(kMany, 324, 1));
  // Two rows a lane: dense, much, as long as it holds; not in place.
  auto p = problem(oddtile_fp32, kMany, 193);
  EXPECT_EQ(choose(p), kW + 6);
  p.rows = (1 << 24) / 193 - 1;
  EXPECT_EQ(choose(p), kW + 5);
  p.rows = kMany;
  p.x = p.y;
  EXPECT_EQ(choose(p), kW + 5);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 191)), kW + 5);
  EXPECT_EQ(choose(problem(oddtile_fp32, kMany, 193, 194)), kW + 5);
  EXPECT_EQ(softmax_plan(problem(oddtile_fp32, 5, 255), kW + 6).blocks, 3);
  // Not for other types, nor with a mask.
  static uint8_t mask[16];
  auto masked = problem(oddtile_fp32, kMany, 129);
  masked.mask = mask;
  masked.mask_row_stride = 129;
  for (int32_t index = kW; index < kW + 10; ++index) {
    EXPECT_FALSE(softmax_admits(problem(oddtile_bf16, kMany, 129), index, kMachine));
    EXPECT_FALSE(softmax_admits(masked, index, kMachine));
  }
}

}  // namespace
}  // namespace oddtile
