// The choice of a softmax configuration at the ends of ranges of lengths: the last row of each, and
// the first of the next.
#include <gtest/gtest.h>

#include <initializer_list>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];
uint8_t mask[16];
constexpr int64_t kMany = 100000;
constexpr int32_t kW = kSoftmaxWords;

struct Rows {
  oddtile_dtype dtype;
  int64_t rows = kMany;
  int64_t gap = 0;
  int64_t x_offset = 0;
  bool masked = false;
};

int32_t choose(const Rows& r, int64_t columns) {
  const int64_t stride = columns + r.gap;
  return choose_softmax({r.dtype, r.rows, columns, memory + 32 + r.x_offset, stride, memory, stride,
                         r.masked ? mask : nullptr, stride},
                        {227 * 1024, 16});
}

struct End {
  int64_t last;  // columns
  int32_t until;
  int32_t beyond;
};

// `step`: columns to the next length that lies alike.
void expect_ends(const Rows& rows, int64_t step, std::initializer_list<End> ends) {
  for (const End& end : ends) {
    EXPECT_EQ(choose(rows, end.last), end.until) << end.last;
    EXPECT_EQ(choose(rows, end.last + step), end.beyond) << end.last << " and " << step;
  }
}

TEST(SoftmaxChoiceEnds, Words) {
  expect_ends({.dtype = oddtile_fp32, .gap = 1}, 1,
              {{40, kW, kW + 1},
               {64, kW + 1, kW + 2},
               {122, kW + 2, kW + 3},
               {128, kW + 3, kW + 4},
               {160, kW + 4, kW + 5},
               {256, kW + 5, kW + 7},
               {320, kW + 7, 6}});
  expect_ends({.dtype = oddtile_fp32, .rows = 1000, .gap = 1}, 1,
              {{384, kW + 7, kW + 8}, {512, kW + 8, 8}});
  expect_ends({.dtype = oddtile_fp32, .x_offset = 1}, 1,
              {{192, kW + 5, kW + 6}, {256, kW + 6, kW + 7}});
  expect_ends({.dtype = oddtile_fp32, .rows = 1099}, 4, {{256, kW + 5, 41}});
  expect_ends({.dtype = oddtile_fp32, .rows = 1100}, 4, {{320, kW + 7, 6}});
}

TEST(SoftmaxChoiceEnds, FewRows) {
  const auto few = [](int64_t rows, int64_t columns) {
    const int32_t chosen = choose({.dtype = oddtile_bf16, .rows = rows}, columns);
    return kSoftmaxConfigurations[chosen].form == SoftmaxForm::few;
  };
  // Of 32, 33, 255 and 256 vectors.
  const struct {
    int64_t columns, most;
  } table[] = {{256, 699}, {264, 1099}, {2040, 1099}, {2048, 4999}};
  for (const auto& [columns, most] : table) {
    EXPECT_TRUE(few(most, columns)) << columns;
    EXPECT_FALSE(few(most + 1, columns)) << columns;
  }
}

TEST(SoftmaxChoiceEnds, ManyRows) {
  const struct {
    oddtile_dtype dtype;
    int64_t columns;
    bool masked;
    int32_t few, many;
  } table[] = {{oddtile_bf16, 129, false, 2, 24},
               {oddtile_bf16, 2049, false, 9, 11},
               {oddtile_fp32, 4096, true, 9, 61}};
  for (const auto& [dtype, columns, masked, few, many] : table) {
    EXPECT_EQ(choose({.dtype = dtype, .rows = 1099, .masked = masked}, columns), few) << columns;
    EXPECT_EQ(choose({.dtype = dtype, .rows = 1100, .masked = masked}, columns), many) << columns;
  }
}

TEST(SoftmaxChoiceEnds, LongRows) {
  expect_ends({.dtype = oddtile_bf16}, 8, {{262144, 54, 55}, {360448, 55, 56}, {720896, 56, 49}});
  expect_ends({.dtype = oddtile_bf16, .gap = 1}, 1, {{36801, 11, 52}});  // 4608 vectors
  expect_ends({.dtype = oddtile_fp32}, 4, {{12288, 9, 52}});
  expect_ends({.dtype = oddtile_fp32, .rows = 1099}, 4, {{12288, 9, 9}});
  expect_ends({.dtype = oddtile_fp32, .rows = 1100}, 4, {{12288, 9, 52}});
  expect_ends({.dtype = oddtile_fp32, .x_offset = 1}, 4,
              {{73728, 53, 55}, {163840, 55, 56}, {320000, 56, 16}});
  expect_ends({.dtype = oddtile_fp32, .rows = 128, .x_offset = 1}, 4, {{36864, 11, 53}});
  EXPECT_EQ(choose({.dtype = oddtile_fp32, .rows = 129, .x_offset = 1}, 36864), 53);
}

TEST(SoftmaxChoiceEnds, RowsWhoseClustersStay) {
  const auto stays = [](oddtile_dtype dtype, int64_t rows, int64_t columns) {
    const int32_t chosen = choose({.dtype = dtype, .rows = rows}, columns);
    return kSoftmaxConfigurations[chosen].form == SoftmaxForm::staying;
  };
  const struct {
    oddtile_dtype dtype;
    int64_t columns, least;
  } table[] = {{oddtile_fp32, 500000, 16}, {oddtile_fp32, 1048576, 9}, {oddtile_bf16, 1048576, 96}};
  for (const auto& [dtype, columns, least] : table) {
    EXPECT_TRUE(stays(dtype, least, columns)) << columns;
    EXPECT_FALSE(stays(dtype, least - 1, columns)) << columns;
  }
  expect_ends({.dtype = oddtile_fp32, .rows = 64}, 4, {{850000, 50, 48}});
}

TEST(SoftmaxChoiceEnds, MaskedRows) {
  expect_ends({.dtype = oddtile_fp32, .masked = true}, 4,
              {{4096, 61, 61},
               {4480, 61, 11},
               {7680, 11, 61},
               {8320, 61, 11},
               {11520, 11, 10},
               {11548, 10, 65},  // 94 % of 3072 vectors, and of 4096
               {15400, 11, 65}});
  expect_ends({.dtype = oddtile_bf16, .masked = true}, 8, {{20480, 10, 11}, {23040, 11, 10}});
  EXPECT_EQ(choose({.dtype = oddtile_fp32, .x_offset = 1, .masked = true}, 8320), 11);
  // Of 4096 vectors, and of one more.
  const auto few = [](int64_t rows, int64_t columns) {
    return choose({.dtype = oddtile_fp32, .rows = rows, .masked = true}, columns);
  };
  EXPECT_EQ(few(128, 16384), 9);
  EXPECT_EQ(few(129, 16384), 65);
  EXPECT_EQ(few(129, 16380), 9);
  EXPECT_EQ(few(16, 16388), 53);
  EXPECT_EQ(few(17, 16388), 11);
  EXPECT_EQ(few(1099, 16000), 9);
  EXPECT_EQ(few(1100, 16000), 65);
}

}  // namespace
}  // namespace oddtile
