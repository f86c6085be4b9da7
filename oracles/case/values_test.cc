// Rows of vector add and softmax.
#include "oracles/case/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracles/case/elements.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {
namespace {

constexpr oddtile_dtype kDtypes[] = {oddtile_fp32, oddtile_fp16, oddtile_bf16};

std::vector<double> row_of(const Tensor& tensor, int64_t i1, int64_t i2) {
  std::vector<double> row;
  for (int64_t i3 = 0; i3 < tensor.sizes[3]; ++i3) {
    row.push_back(value_at(tensor.bytes, tensor.element, tensor.index(0, i1, i2, i3)));
  }
  return row;
}

// Rows of softmax, all elements visible.
std::vector<std::vector<double>> softmax_rows(SoftmaxCase c) {
  const Workload workload = materialise({c}, Poison::nan);
  std::vector<std::vector<double>> rows;
  for (int64_t row = 0; row < c.rows; ++row) rows.push_back(row_of(workload.tensors[0], 0, row));
  return rows;
}

std::vector<double> first_row(SoftmaxCase c) {
  return softmax_rows(c)[0];
}

TEST(Values, RowsAreWhatTheyAreCalled) {
  for (oddtile_dtype dtype : kDtypes) {
    const auto make = [&](Values values) {
      return softmax_rows({.dtype = dtype, .rows = 8, .columns = 131, .values = values});
    };
    for (const auto& row : make(Values::level)) {
      for (double value : row) EXPECT_NEAR(value, -200, 2.01);
    }
    for (const auto& row : make(Values::deep)) {
      for (double value : row) EXPECT_NEAR(value, -60000, 600);
    }
    for (const auto& row : make(Values::high)) {
      for (double value : row) EXPECT_NEAR(value, 100, 6);
    }
    for (const auto& row : make(Values::rising)) {
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
      for (size_t at = 16; at < row.size(); at += 16) EXPECT_GT(row[at], row[at - 16]);
    }
    for (const auto& row : make(Values::falling)) {
      EXPECT_TRUE(std::is_sorted(row.rbegin(), row.rend()));
    }
    for (const auto& row : make(Values::last_max)) {
      EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), 130);
    }
    for (const auto& row : make(Values::one_hot))
      EXPECT_EQ(std::count(row.begin(), row.end(), 40), 1);
    for (const auto& row : make(Values::tiny)) {
      for (double value : row) EXPECT_LT(std::abs(value), 0x1p-12);
    }
  }
}

TEST(Values, DeeperKeepsItsTiesAndNeedsMoreThan22Bits) {
  for (oddtile_dtype dtype : {oddtile_fp32, oddtile_bf16}) {
    for (const auto& row :
         softmax_rows({.dtype = dtype, .rows = 2, .columns = 67, .values = Values::deeper})) {
      EXPECT_EQ(row[0], row[66]);
      for (double value : row) EXPECT_LE(value, -0x1p22);
    }
  }
}

TEST(Values, HugeSumsOverflowAndTinyOnesAreSubnormal) {
  for (oddtile_dtype dtype : kDtypes) {
    int subnormal = 0;
    for (double value : first_row({.dtype = dtype, .columns = 200, .values = Values::tiny})) {
      subnormal += value != 0 && std::abs(value) < double(smallest_normal_of(dtype));
    }
    EXPECT_GT(subnormal, 50);
    for (double value : first_row({.dtype = dtype, .columns = 200, .values = Values::huge})) {
      EXPECT_GE(std::abs(value), 0.49 * double(largest_of(dtype)));
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

// Kinds of rows with special numbers: some spoiled, some sound, some of nothing but -inf.
TEST(Values, SpecialRowsComeInKinds) {
  int spoiled = 0, sound = 0, dead = 0;
  for (const auto& row : softmax_rows({.rows = 64, .columns = 9, .values = Values::specials})) {
    const bool bad = std::any_of(row.begin(), row.end(),
                                 [](double v) { return std::isnan(v) || v == INFINITY; });
    (bad ? spoiled : sound) += 1;
  }
  for (const auto& row :
       softmax_rows({.rows = 64, .columns = 9, .values = Values::negative_infinities})) {
    dead += std::count(row.begin(), row.end(), -INFINITY) == 9;
  }
  EXPECT_GT(spoiled, 10);
  EXPECT_GT(sound, 10);
  EXPECT_GT(dead, 5);
  EXPECT_LT(dead, 40);
}

TEST(Values, ElementwiseSpecialsHoldEveryClass) {
  const Workload workload =
      materialise({VectorAddCase{.n = 200, .values = Values::specials}}, Poison::nan);
  const auto row = row_of(workload.tensors[0], 0, 0);
  EXPECT_TRUE(std::any_of(row.begin(), row.end(), [](double v) { return std::isnan(v); }));
  EXPECT_NE(std::count(row.begin(), row.end(), INFINITY), 0);
  EXPECT_NE(std::count(row.begin(), row.end(), -INFINITY), 0);
  EXPECT_TRUE(
      std::any_of(row.begin(), row.end(), [](double v) { return v == 0 && std::signbit(v); }));
}

// A row of many chunks is one row: its place in the row decides, not its place in a chunk.
TEST(Values, LongRowsKeepTheirShape) {
  const auto rows = softmax_rows({.columns = 3 * kChunk + 5, .values = Values::rising});
  EXPECT_TRUE(std::is_sorted(rows[0].begin(), rows[0].end()));
  const auto last = softmax_rows({.columns = 2 * kChunk + 1, .values = Values::last_max})[0];
  EXPECT_EQ(std::max_element(last.begin(), last.end()) - last.begin(), 2 * kChunk);
}

TEST(Values, MaskedColumnsHoldWhatWouldRuinTheRow) {
  const Workload workload =
      materialise({SoftmaxCase{.rows = 8, .columns = 64, .mask = MaskKind::half}}, Poison::nan);
  const Tensor& mask = *workload.find(Role::mask);
  int ruinous = 0;
  for (int64_t row = 0; row < 8; ++row) {
    const auto values = row_of(workload.tensors[0], 0, row);
    const auto visible = row_of(mask, 0, row);
    for (size_t column = 0; column < 64; ++column) {
      if (visible[column] != 0) {
        EXPECT_LE(std::abs(values[column]), 8);
      } else {
        ruinous += !(std::abs(values[column]) <= 8);
      }
    }
  }
  EXPECT_GT(ruinous, 100);
}

}  // namespace
}  // namespace oddtile::oracles
