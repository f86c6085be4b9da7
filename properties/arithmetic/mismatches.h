// Outputs of the matrix unit that a rule does not give: counted by what is special about them, and
// a few, as different as possible, in full.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/arithmetic/fragments.h"
#include "properties/arithmetic/rule.h"

namespace oddtile::properties {

class Mismatches {
 public:
  // Adds those of a batch.
  void collect(const Rule& rule, const Fragments& fragments, const std::vector<float>& sums);
  int64_t count() const { return count_; }
  // The counts, then a line for each output that was kept: c, got, expected and the 16 pairs a:b as
  // bits in hexadecimal. Empty where there are none.
  std::vector<std::string> lines() const;

 private:
  static constexpr int kTraits = 9;
  struct Output {
    uint16_t a[Fragments::kProducts], b[Fragments::kProducts];
    float c, got, expected;
    uint32_t traits;  // bits
    int exponent;     // the largest of the products
  };
  static Output look_at(const Rule& rule, const Fragments& fragments, int64_t fragment, int row,
                        int column, float got);
  void keep(const Output& output);

  int64_t count_ = 0;
  std::array<int64_t, kTraits> with_trait_ = {};
  std::vector<Output> kept_;
};

}  // namespace oddtile::properties
