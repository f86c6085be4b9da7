// The matrix unit against sums in long double, on data that rounds, overflows and cancels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/base/random.h"
#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

struct Operands {
  float a[16][16];
  float b[16][8];
  float c[16][8];
};

struct Product {
  const Operands* operands;
  float* out;  // [16][8]
};

template <class T>
ODDTILE_KERNEL(32, 1)
product(Product p) {
  const Operands& o = *p.operands;  // host memory: this test is not about global memory
  const int row = lane() / 4;
  const int column = 2 * (lane() % 4);
  const auto a = [&](int i, int k) { return pack<T>(o.a[i][k], o.a[i][k + 1]); };
  const auto b = [&](int k) { return pack<T>(o.b[k][row], o.b[k + 1][row]); };
  const uint32_t fragment[4] = {a(row, column), a(row + 8, column), a(row, column + 8),
                                a(row + 8, column + 8)};
  float sum[4];
  for (int i = 0; i < 4; ++i) sum[i] = o.c[row + i / 2 * 8][column + i % 2];
  mma_16x8x16<T>(sum, fragment, b(column), b(column + 8));
  for (int i = 0; i < 4; ++i) p.out[(row + i / 2 * 8) * 8 + column + i % 2] = sum[i];
}

template <class T>
class MatrixTest : public testing::Test {};
using Types = testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(MatrixTest, Types);

template <class T>
void multiply(const Operands& operands, float (&out)[16][8]) {
  Machine machine;
  machine.begin(1);
  EXPECT_TRUE(launch(product<T>, "product", {1, 32, 0}, &machine, Product{&operands, &out[0][0]}));
  EXPECT_TRUE(machine.hazards().empty());
}

TYPED_TEST(MatrixTest, loses_one_rounding_of_the_result) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    Operands o;
    const double scale = std::ldexp(1.0, int(random.between(-6, 6)));
    const auto draw = [&] {
      return to_float(from_float<TypeParam>(float(random.normal() * scale)));
    };
    for (auto& row : o.a)
      for (float& x : row) x = draw();
    for (auto& row : o.b)
      for (float& x : row) x = draw();
    for (auto& row : o.c)
      for (float& x : row) x = draw();
    float out[16][8];
    multiply<TypeParam>(o, out);
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 8; ++j) {
        long double exact = o.c[i][j];
        long double magnitudes = std::fabs(o.c[i][j]);
        for (int k = 0; k < 16; ++k) {
          exact += (long double)(o.a[i][k]) * o.b[k][j];
          magnitudes += std::fabs((long double)(o.a[i][k]) * o.b[k][j]);
        }
        const long double allowed = std::fabs(exact) * 0x1p-24L + magnitudes * 0x1p-48L;
        ASSERT_LE(std::fabs(out[i][j] - exact), allowed) << i << ' ' << j;
      }
    }
  }
}

TYPED_TEST(MatrixTest, treats_special_values_as_ieee_does) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Operands o = {};
  for (auto& row : o.b)
    for (float& x : row) x = 1.0f;
  o.a[0][3] = kInfinity;
  o.a[1][3] = kInfinity;
  o.a[1][15] = -kInfinity;
  o.a[2][0] = NAN;
  o.c[3][5] = -kInfinity;
  float out[16][8];
  multiply<TypeParam>(o, out);
  EXPECT_EQ(out[0][0], kInfinity);
  EXPECT_NE(out[1][0], out[1][0]);
  EXPECT_NE(out[2][7], out[2][7]);
  EXPECT_EQ(out[3][5], -kInfinity);
  EXPECT_EQ(out[3][4], 0.0f);
  EXPECT_EQ(out[4][0], 0.0f);
}

}  // namespace
}  // namespace oddtile::sim
