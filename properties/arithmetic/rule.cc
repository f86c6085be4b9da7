#include "properties/arithmetic/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace oddtile::properties {
namespace {

constexpr int kProducts = 16;
constexpr int kNone = kNoSmallest;

// significand * 2^scale, taking part in the alignment with `exponent`.
struct Addend {
  int64_t significand = 0;
  int scale = 0;
  int exponent = kNone;
};

struct Format {
  int fraction, exponent_bits;
};
constexpr Format kHalf = {10, 5}, kBfloat16 = {7, 8}, kFloat = {23, 8};

Addend take_apart(uint32_t bits, Format format, bool subnormals_as_normal) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int field = int(bits >> format.fraction) & ((1 << format.exponent_bits) - 1);
  const int64_t low = bits & ((1u << format.fraction) - 1);
  const int64_t size = field == 0 ? low : low | int64_t(1) << format.fraction;
  const int scale = std::max(field, 1) - bias - format.fraction;
  int exponent = scale + format.fraction;
  if (subnormals_as_normal && field == 0 && low != 0)
    exponent = scale + std::bit_width(uint64_t(low)) - 1;
  const bool negative = bits >> (format.fraction + format.exponent_bits) & 1;
  return {negative ? -size : size, scale, exponent};
}

// significand * 2^-shift as an integer.
int64_t shifted(int64_t significand, int shift, bool to_nearest) {
  if (shift <= 0) return significand << -shift;
  if (shift > 62) return 0;
  const int64_t size = std::abs(significand);
  int64_t result = size >> shift;
  const int64_t rest = size - (result << shift), half = int64_t(1) << (shift - 1);
  if (to_nearest && (rest > half || (rest == half && (result & 1)))) ++result;
  return significand < 0 ? -result : result;
}

float to_float(int64_t significand, int scale, bool to_nearest) {
  const int length = int(std::bit_width(uint64_t(std::abs(significand))));
  const int drop = std::max({length - 24, -149 - scale, 0});
  const double value =
      std::ldexp(double(shifted(std::abs(significand), drop, to_nearest)), scale + drop);
  const float size = value >= 0x1p128 ? std::numeric_limits<float>::infinity() : float(value);
  return significand < 0 && size != 0 ? -size : size;
}

Addend product_of(const Rule& rule, uint16_t a, uint16_t b, Format format) {
  const Addend left = take_apart(a, format, rule.subnormals_as_normal);
  const Addend right = take_apart(b, format, rule.subnormals_as_normal);
  Addend product = {left.significand * right.significand, left.scale + right.scale,
                    left.exponent + right.exponent};
  if (product.significand == 0) {
    if (!rule.zeros_count) product.exponent = kNone;
  } else if (rule.normalises) {
    product.exponent =
        product.scale + int(std::bit_width(uint64_t(std::abs(product.significand)))) - 1;
  }
  return product;
}

}  // namespace

std::string Rule::text() const {
  std::string small;
  if (smallest_exponent != kNoSmallest)
    small += fmt::format(", alignment at 2^{} at least", smallest_exponent);
  if (subnormal_addend == kNoSmallest)
    small += ", subnormal addends do not count";
  else if (subnormal_addend != -126)
    small += fmt::format(", subnormal addends by 2^{}", subnormal_addend);
  if (flushes_addends) small += ", subnormal addends count as 0";
  if (flushes_results) small += ", subnormal results become 0";
  return fmt::format(
      "groups of {}, {} fraction bits, addends {}, result {}, exponents {}, zeros {}, subnormal "
      "operands {}{}",
      group, fraction_bits, aligns_to_nearest ? "to nearest" : "truncated",
      result_to_nearest ? "to nearest" : "truncated", normalises ? "of products" : "added",
      zeros_count ? "count" : "do not count",
      subnormals_as_normal ? "by their own exponent" : "by the smallest normal one", small);
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (int group : {4, 8, 16})
    for (int fraction_bits = 21; fraction_bits <= 28; ++fraction_bits)
      for (int switches = 0; switches < 32; ++switches)
        rules.push_back({group, fraction_bits, (switches & 1) != 0, (switches & 2) != 0,
                         (switches & 4) != 0, (switches & 8) != 0, (switches & 16) != 0});
  return rules;
}

std::vector<Rule> small_number_rules(const Rule& rule) {
  std::vector<Rule> rules;
  for (int smallest : {kNoSmallest, -124, -125, -126, -127, -128, -129, -130, -132, -133, -134,
                       -142, -149, -150, -152, -158, -160})
    for (int switches = 0; switches < 12; ++switches) {
      Rule one = rule;
      one.smallest_exponent = smallest;
      one.subnormal_addend = switches < 4 ? -126 : switches < 8 ? -127 : kNoSmallest;
      one.flushes_addends = (switches & 1) != 0;
      one.flushes_results = (switches & 2) != 0;
      rules.push_back(one);
    }
  return rules;
}

float apply(const Rule& rule, const uint16_t* a, const uint16_t* b, float c, bool bfloat16) {
  const Format format = bfloat16 ? kBfloat16 : kHalf;
  float sum = c;
  for (int first = 0; first < kProducts && std::isfinite(sum); first += rule.group) {
    Addend addends[kProducts + 1];
    addends[0] = take_apart(std::bit_cast<uint32_t>(sum), kFloat, false);
    if (rule.flushes_addends && std::fabs(sum) < 0x1p-126f) addends[0].significand = 0;
    if (addends[0].significand == 0) addends[0].exponent = kNone;
    if (addends[0].significand != 0 && std::fabs(sum) < 0x1p-126f)
      addends[0].exponent = rule.subnormal_addend;
    int largest = std::max(addends[0].exponent, rule.smallest_exponent);
    for (int k = 0; k < rule.group; ++k) {
      addends[k + 1] = product_of(rule, a[first + k], b[first + k], format);
      largest = std::max(largest, addends[k + 1].exponent);
    }
    const int unit = largest - rule.fraction_bits;
    int64_t total = 0;
    for (int k = 0; k <= rule.group; ++k)
      if (addends[k].significand != 0)
        total += shifted(addends[k].significand, unit - addends[k].scale, rule.aligns_to_nearest);
    sum = to_float(total, unit, rule.result_to_nearest);
    if (rule.flushes_results && std::fabs(sum) < 0x1p-126f) sum = 0;
  }
  return sum;
}

}  // namespace oddtile::properties
