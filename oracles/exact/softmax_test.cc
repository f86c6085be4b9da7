#include "oracles/exact/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace oddtile::oracles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ExactSoftmax, ByHand) {
  SoftmaxRow row;
  const double x[] = {0, std::log(3), -kInfinity, 5};
  const uint8_t mask[] = {1, 1, 1, 0};
  for (const Precision precision : {Precision::standard, Precision::wide}) {
    softmax_row(x, mask, precision, row);
    ASSERT_EQ(row.row_class, RowClass::live);
    EXPECT_EQ(row.live, 2);
    EXPECT_DOUBLE_EQ(row.weight[0], 0.25);
    EXPECT_DOUBLE_EQ(row.weight[1], 0.75);
    EXPECT_EQ(row.weight[2], 0);
    EXPECT_EQ(row.weight[3], 0);
    EXPECT_DOUBLE_EQ(row.sum, 4.0 / 3);
  }
}

TEST(ExactSoftmax, Classes) {
  SoftmaxRow row;
  const uint8_t first_only[] = {1, 0};
  const auto classify = [&](std::initializer_list<double> x, const uint8_t* mask) {
    softmax_row(std::vector<double>(x), mask, Precision::standard, row);
    return row.row_class;
  };
  EXPECT_EQ(classify({}, nullptr), RowClass::empty);
  EXPECT_EQ(classify({1, kNan}, nullptr), RowClass::nan);
  EXPECT_EQ(classify({1, kNan}, first_only), RowClass::live);
  EXPECT_EQ(classify({1, kInfinity}, nullptr), RowClass::nan);
  EXPECT_EQ(classify({-kInfinity, 1}, first_only), RowClass::nan);
  EXPECT_EQ(classify({-kInfinity, 1}, nullptr), RowClass::live);
  const uint8_t none[] = {0, 0};
  EXPECT_EQ(classify({kNan, 1}, none), RowClass::empty);
}

}  // namespace
}  // namespace oddtile::oracles
