// What a matrix unit may do with one group of products, as a rule with switches: which of them
// describes a machine is found by comparing bits. In integers, and nothing shared with the
// simulator, which must come to the same bits by another way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::properties {

constexpr int kNoSmallest = -100000;

struct Rule {
  int group = 16;                     // products added at once, with the accumulator
  int fraction_bits = 25;             // kept below the largest exponent
  bool aligns_to_nearest = false;     // addends; else toward zero
  bool result_to_nearest = false;     // else toward zero
  bool normalises = false;            // 1.5 * 1.5 counts with exponent 1, not 0
  bool zeros_count = false;           // a zero product takes part in the largest exponent
  bool subnormals_as_normal = false;  // a subnormal operand counts with its own exponent
  int smallest_exponent = -133;       // of the alignment, whatever the terms have
  int subnormal_addend = -126;        // exponent of a c that is subnormal
  bool flushes_addends = false;       // a subnormal c counts as 0
  bool flushes_results = false;       // a subnormal sum becomes 0

  std::string text() const;
  bool operator==(const Rule&) const = default;
};

// Every combination of the switches that common numbers show.
std::vector<Rule> all_rules();
// `rule` with every combination of what only the smallest numbers show.
std::vector<Rule> small_number_rules(const Rule& rule);

// c + sum a[k] b[k] of 16 products; operands are finite. Zeros, and a sum of which the result keeps
// nothing, are +0.
float apply(const Rule& rule, const uint16_t* a, const uint16_t* b, float c, bool bfloat16);

}  // namespace oddtile::properties
