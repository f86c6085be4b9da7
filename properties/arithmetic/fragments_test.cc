#include "properties/arithmetic/fragments.h"

#include <gtest/gtest.h>

#include "kernels/base/bits.h"

namespace oddtile::properties {
namespace {

// A row of a, a column of b and a sum are where the machine looks for them.
TEST(Fragments, ElementsLieWhereTheLanesHoldThem) {
  Fragments fragments(false, 2);
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 16; ++k)
      fragments.set_a(1, row, k, float_to_half(float(row + 1) / 16 + (k == 3)).bits);
  for (int column = 0; column < 8; ++column)
    fragments.set_b(1, 3, column, float_to_half(float(1 << column)).bits);
  fragments.addend[size_t(Fragments::sum_index(1, 11, 6))] = 1000;
  const auto sums = multiply(sim_machine(), ProbeProduct::mma, fragments);
  ASSERT_TRUE(sums.has_value());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      const float want = (float(row + 1) / 16 + 1) * float(1 << column) +
                         (row == 11 && column == 6 ? 1000.0f : 0.0f);
      EXPECT_EQ((*sums)[size_t(Fragments::sum_index(1, row, column))], want)
          << row << ' ' << column;
      EXPECT_EQ((*sums)[size_t(Fragments::sum_index(0, row, column))], 0.0f);
    }
}

}  // namespace
}  // namespace oddtile::properties
