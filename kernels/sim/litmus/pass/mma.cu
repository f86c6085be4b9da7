// pass: the matrix unit agrees with three loops, in both 16-bit types.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mma_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

template <class T>
ODDTILE_DEVICE bool mma_agrees() {
  const int row = lane() / 4;
  const int column = 2 * (lane() % 4);
  // a[i][k] = i - k, b[k][j] = k + 2j - 8: all products and sums are exact.
  const auto a = [](int i, int k) { return pack<T>(float(i - k), float(i - k - 1)); };
  const auto b = [](int k, int j) { return pack<T>(float(k + 2 * j - 8), float(k + 2 * j - 7)); };
  const uint32_t fragment[4] = {a(row, column), a(row + 8, column), a(row, column + 8),
                                a(row + 8, column + 8)};
  float sum[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  mma_16x8x16<T>(sum, fragment, b(column, row), b(column + 8, row));
  bool right = true;
  for (int i = 0; i < 4; ++i) {
    float expected = float(i + 1);
    for (int k = 0; k < 16; ++k) {
      expected += float((row + i / 2 * 8) - k) * float(k + 2 * (column + i % 2) - 8);
    }
    right = right && sum[i] == expected;
  }
  return right;
}

ODDTILE_KERNEL(64, 1) mma(Litmus p) {
  const bool half = mma_agrees<Half>();
  const bool bfloat16 = mma_agrees<Bfloat16>();
  store(p.out, thread(), half && bfloat16 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
