#include "properties/search/additions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/bits.h"
#include "properties/search/canary.h"

namespace oddtile::properties {
namespace {

// Against long double, in which every sum of two fp16 numbers is exact: the nearest of the two
// neighbours, ties to even. (Compared on a spread of pairs, every x with some y.)
TEST(fp16_sum, is_the_exact_sum_rounded_once) {
  const auto value = [](uint32_t bits) { return (long double)half_to_float({uint16_t(bits)}); };
  for (uint32_t x = 0; x < 0x7C00; x += 3) {
    for (uint32_t y = 0x8000 + x % 61; y < 0xFC00; y += 61) {
      const long double exact = value(x) + value(y);
      const uint16_t got = fp16_sum(uint16_t(x), uint16_t(y));
      const uint32_t size = got & 0x7FFFu;
      const long double below = std::fabs(exact) - value(size);
      const long double up = size < 0x7BFF ? value(size + 1) - value(size) : 32;
      const long double down = size > 0 ? value(size) - value(size - 1) : 1;
      ASSERT_TRUE(below < up / 2 || (below == up / 2 && size % 2 == 0)) << x << " " << y;
      ASSERT_TRUE(-below < down / 2 || (-below == down / 2 && size % 2 == 0)) << x << " " << y;
      if (size != 0) ASSERT_EQ((got & 0x8000u) != 0, exact < 0);
    }
  }
  EXPECT_EQ(fp16_sum(0x7C00, 0x3C00), 0x7C00);
  EXPECT_EQ(fp16_sum(0x7BFF, 0x7BFF), 0x7C00);
  EXPECT_EQ(fp16_sum(0x8000, 0x8000), 0x8000);
  EXPECT_EQ(fp16_sum(0x8000, 0x0000), 0x0000);
  EXPECT_GT(fp16_sum(0x7C00, 0xFC00) & 0x7FFF, 0x7C00);
}

TEST(additions, are_covered_with_every_y_and_say_how_many) {
  const Coverage coverage = cover_additions(right(), sim_machine(), 0xFBFF, 0xFC02, {});
  EXPECT_EQ(coverage.failed, 0);
  EXPECT_EQ(coverage.judged, 3 * 65536);
  EXPECT_EQ(coverage.text(), "covered: 196608 of 4294967296 cases (196608 elements judged)");
}

oddtile_status one_sum_wrong(const oddtile_vector_add_problem* p, int32_t id, void* workspace,
                             void* stream) {
  const oddtile_status status = right().vector_add(p, id, workspace, stream);
  if (status == oddtile_ok && static_cast<const uint16_t*>(p->x)[0] == 0x3C00)
    static_cast<uint16_t*>(p->out)[0x3C01] ^= 1;
  return status;
}

TEST(additions, one_wrong_sum_among_all_is_found) {
  oddtile_implementation wrong = right();
  wrong.vector_add = one_sum_wrong;
  const Coverage coverage = cover_additions(wrong, sim_machine(), 0x3BFF, 0x3C02, {});
  EXPECT_EQ(coverage.failed, 1);
  ASSERT_EQ(coverage.failures.size(), 1u);
  EXPECT_NE(coverage.failures[0].find("0x3c00 + 0x3c01"), std::string::npos)
      << coverage.failures[0];
}

}  // namespace
}  // namespace oddtile::properties
