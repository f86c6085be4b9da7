#include "oracles/exact/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "oracles/case/text.h"

namespace oddtile::oracles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

KeysAndValues two_keys(double k0, double k1, double v0, double v1) {
  KeysAndValues kv;
  kv.keys = 2;
  kv.head_dim = 1;
  kv.k = {k0, k1};
  kv.v = {v0, v1};
  return kv;
}

TEST(ExactAttention, ByHand) {
  AttentionRow row;
  const double q[] = {2};
  const int64_t both[] = {0, 1};
  const KeysAndValues kv = two_keys(0, std::log(3), 8, 4);
  for (const Precision precision : {Precision::standard, Precision::wide}) {
    attention_row(kv, q, 0.5, both, precision, row);
    ASSERT_EQ(row.row_class, RowClass::live);
    EXPECT_DOUBLE_EQ(row.o[0], 0.25 * 8 + 0.75 * 4);
    EXPECT_DOUBLE_EQ(row.lse, std::log(4));
    EXPECT_DOUBLE_EQ(row.magnitude[1], std::log(3));
    EXPECT_DOUBLE_EQ(row.largest_products, 2 * std::log(3));
  }
}

// A matrix unit aligns by exponents, and a subnormal operand has the smallest normal one.
TEST(ExactAttention, SubnormalOperandsCountAsTheSmallestNormalNumber) {
  AttentionRow row;
  const double q[] = {0x1p-20};
  const int64_t both[] = {0, 1};
  KeysAndValues kv = two_keys(4, 0, 8, 4);
  kv.smallest_normal = 0x1p-14;
  for (const Precision precision : {Precision::standard, Precision::wide}) {
    attention_row(kv, q, -0.5, both, precision, row);
    EXPECT_DOUBLE_EQ(row.magnitude[0], 0.5 * 0x1p-14 * 4);
    EXPECT_EQ(row.magnitude[1], 0);  // a product with 0 has no exponent
    EXPECT_DOUBLE_EQ(row.offset[0], -0.5 * 0x1p-20 * 4);
  }
  kv.k[1] = 0x1p-24;
  kv.k_subnormal = true;
  const double two[] = {2};
  attention_row(kv, two, 1, both, Precision::standard, row);
  EXPECT_DOUBLE_EQ(row.magnitude[1], 2 * 0x1p-14);
  EXPECT_DOUBLE_EQ(row.magnitude[0], 8);
}

TEST(ExactAttention, ClassesOfScores) {
  AttentionRow row;
  const int64_t both[] = {0, 1}, none[] = {0}, first[] = {0};
  const auto classify = [&](double q, double k0, double k1, double scale) {
    const double queries[] = {q};
    attention_row(two_keys(k0, k1, 1, 2), queries, scale, both, Precision::standard, row);
    return row.row_class;
  };
  EXPECT_EQ(classify(1, 1, -kInfinity, 1), RowClass::live);
  EXPECT_EQ(row.keys.size(), 1u);
  EXPECT_EQ(classify(1, 1, kInfinity, 1), RowClass::nan);
  EXPECT_EQ(classify(1, 1, -kInfinity, -1), RowClass::nan);
  EXPECT_EQ(classify(1, 1, -kInfinity, 0), RowClass::nan);  // 0 * inf
  EXPECT_EQ(classify(0, 1, kInfinity, 1), RowClass::nan);
  EXPECT_EQ(classify(1, -kInfinity, -kInfinity, 1), RowClass::empty);
  EXPECT_EQ(row.visible, 2);
  const double q[] = {kNan};
  attention_row(two_keys(1, 1, 1, 1), q, 1, std::span(none, size_t(0)), Precision::wide, row);
  EXPECT_EQ(row.row_class, RowClass::empty);
  attention_row(two_keys(1, 1, 1, 1), q, 1, first, Precision::wide, row);
  EXPECT_EQ(row.row_class, RowClass::nan);
}

Workload made(const std::string& text) {
  const auto parsed = parse(text);
  if (const auto* error = std::get_if<TextError>(&parsed)) ADD_FAILURE() << error->message;
  return materialise(std::get<Case>(parsed), Poison::nan);
}

TEST(ExactAttention, BandAndKeyLength) {
  const auto range = [](const std::string& text, int64_t i) {
    const Workload workload = made("attention seq_q=5 seq_k=9 " + text);
    const KeyRange keys = AttentionOracle(workload).range(0, i);
    return std::pair(keys.begin, keys.end);
  };
  EXPECT_EQ(range("", 3), std::pair(int64_t(0), int64_t(9)));
  EXPECT_EQ(range("band_high=0", 3), std::pair(int64_t(0), int64_t(4)));
  EXPECT_EQ(range("band_high=0 anchor=bottom_right", 0), std::pair(int64_t(0), int64_t(5)));
  EXPECT_EQ(range("band_low=-2 band_high=0", 3), std::pair(int64_t(1), int64_t(4)));
  EXPECT_EQ(range("band_low=1 band_high=2", 4), std::pair(int64_t(5), int64_t(7)));
  EXPECT_EQ(range("lengths=zero", 4).second, 0);
  EXPECT_EQ(range("band_high=-7", 3).second, 0);
}

}  // namespace
}  // namespace oddtile::oracles
