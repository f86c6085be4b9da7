#include "reports/measure/criteria.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace oddtile::reports {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Numbers = std::vector<double>;

bool twice(const Numbers& exact, const Numbers& got, const Numbers& eager) {
  return within_twice_eager({oddtile_fp16, exact, got, eager});
}
bool close(oddtile_dtype dtype, const Numbers& exact, const Numbers& got) {
  return all_close({dtype, exact, got, {}});
}
bool both(const Numbers& exact, const Numbers& got) {
  return within_abs_and_rel({oddtile_bf16, exact, got, {}});
}

TEST(Criteria, twice_eager_compares_the_largest_errors_only) {
  EXPECT_TRUE(twice({1, 2}, {1.25, 2}, {1, 2.125}));  // of different elements
  EXPECT_FALSE(twice({1, 2}, {1.25 + 2e-5, 2}, {1, 2.125}));
  EXPECT_TRUE(twice({1}, {1 + 9e-6}, {1}));  // the floor
  EXPECT_FALSE(twice({1}, {1 + 1.1e-5}, {1}));
  EXPECT_FALSE(twice({1, 2}, {kNan, 2}, {1.5, 2}));
  EXPECT_FALSE(twice({1, 2}, {1, kInfinity}, {1.5, 2}));
}

TEST(Criteria, allclose_has_the_tolerance_of_the_type) {
  EXPECT_TRUE(close(oddtile_fp32, {1}, {1 + 1.1e-5}));
  EXPECT_FALSE(close(oddtile_fp32, {1}, {1 + 1.2e-5}));
  EXPECT_TRUE(close(oddtile_fp16, {1}, {1 + 0x1p-10}));
  EXPECT_FALSE(close(oddtile_fp16, {1}, {1 + 0x1p-9}));
  EXPECT_TRUE(close(oddtile_bf16, {1}, {1 + 0x1p-6}));
  EXPECT_FALSE(close(oddtile_bf16, {1}, {1 + 0x1p-5}));
  EXPECT_TRUE(close(oddtile_fp16, {0}, {0.9e-5}));
  EXPECT_FALSE(close(oddtile_fp16, {0, 1}, {1.1e-5, 1}));
  EXPECT_FALSE(close(oddtile_bf16, {1, 2}, {1, kNan}));
  EXPECT_FALSE(close(oddtile_bf16, {1, 2}, {1, kInfinity}));
}

TEST(Criteria, allclose_expects_the_rounded_value) {
  const double exact = 1 + 0x1p-9 + 0x1p-10;  // bf16: halfway between 1 and 1 + 2^-7 is 1 + 2^-8
  EXPECT_EQ(rounded_to(oddtile_bf16, exact), 1);
  EXPECT_TRUE(close(oddtile_bf16, {exact}, {1 + 1.6e-2}));
  EXPECT_FALSE(close(oddtile_bf16, {exact}, {1 + 1.6e-2 + 2e-5}));
  EXPECT_EQ(rounded_to(oddtile_fp16, 1e6), kInfinity);
  EXPECT_EQ(rounded_to(oddtile_fp32, 1e6), 1e6);
}

TEST(Criteria, abs_and_rel_forgives_small_numbers_and_large_ones) {
  EXPECT_TRUE(both({1e-3}, {-9e-3}));  // the relative error is 10
  EXPECT_TRUE(both({1000}, {1009}));
  EXPECT_FALSE(both({1}, {1.011}));
  EXPECT_FALSE(both({0}, {0.011}));
  EXPECT_FALSE(both({1}, {kNan}));
  EXPECT_FALSE(both({1}, {-kInfinity}));
}

TEST(Criteria, three_have_names_and_accept_what_is_exact) {
  const Numbers numbers = {0, 1, -2};
  ASSERT_EQ(public_criteria().size(), 3u);
  for (const Criterion& criterion : public_criteria()) {
    EXPECT_TRUE(criterion.accepts({oddtile_fp32, numbers, numbers, numbers})) << criterion.name;
  }
}

}  // namespace
}  // namespace oddtile::reports
