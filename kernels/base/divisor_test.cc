#include "kernels/base/divisor.h"

#include <gtest/gtest.h>

#include "kernels/base/random.h"

namespace oddtile {
namespace {

constexpr int32_t kMost = INT32_MAX;

void expect_quotients_beside(int32_t divisor, int64_t number) {
  const Divisor by(divisor);
  for (int64_t n = number - 2; n <= number + 2; ++n) {
    if (n < 0 || n > kMost) continue;
    ASSERT_EQ(by.quotient(int32_t(n)), int32_t(n) / divisor) << n << " / " << divisor;
  }
}

TEST(divisor, small_ones_divide_small_numbers) {
  for (int32_t divisor = 1; divisor <= 300; ++divisor) {
    const Divisor by(divisor);
    EXPECT_EQ(by.value(), divisor);
    for (int32_t n = 0; n <= 3000; ++n) ASSERT_EQ(by.quotient(n), n / divisor);
  }
}

// A quotient that is too large shows just below a multiple, one that is too small at it.
TEST(divisor, all_sizes_divide_numbers_beside_multiples) {
  Random random(1);
  for (int log = 0; log < 31; ++log) {
    for (int64_t beside = -2; beside <= 2; ++beside) {
      const int64_t divisor = (int64_t(1) << log) + beside;
      if (divisor < 1) continue;
      expect_quotients_beside(int32_t(divisor), 0);
      expect_quotients_beside(int32_t(divisor), kMost);
      expect_quotients_beside(int32_t(divisor), kMost / divisor * divisor);
      for (int i = 0; i < 100; ++i) {
        const int64_t multiple = int64_t(random.next() % uint64_t(kMost)) / divisor * divisor;
        expect_quotients_beside(int32_t(divisor), multiple);
      }
    }
  }
  for (int i = 0; i < 10000; ++i) {
    const int32_t divisor = int32_t(1 + random.next() % uint64_t(kMost));
    expect_quotients_beside(divisor, int64_t(random.next() % uint64_t(kMost)) / divisor * divisor);
    expect_quotients_beside(divisor, kMost / divisor * int64_t(divisor));
  }
}

TEST(divisor, none_given_divides_by_one) {
  EXPECT_EQ(Divisor().value(), 1);
  for (int32_t n : {0, 1, 7, kMost}) EXPECT_EQ(Divisor().quotient(n), n);
}

}  // namespace
}  // namespace oddtile
