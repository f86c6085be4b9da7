// pass: a product of 16 columns is two of 8 that share their left operand.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mma_wide_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

template <class T>
ODDTILE_DEVICE bool mma_wide_agrees() {
  const auto two = [](int i) { return pack<T>(float(i % 7 - 3), float(i % 5 - 2)); };
  const uint32_t a[4] = {two(lane()), two(lane() + 1), two(lane() + 2), two(lane() * 3)};
  const uint32_t b[4] = {two(lane() + 4), two(lane() * 5), two(lane() + 6), two(lane() * 2)};
  float left[4] = {1, 2, 3, 4}, right[4] = {5, 6, 7, 8};
  float left_alone[4] = {1, 2, 3, 4}, right_alone[4] = {5, 6, 7, 8};
  mma_16x16x16<T>(left, right, a, b);
  mma_16x8x16<T>(left_alone, a, b[0], b[1]);
  mma_16x8x16<T>(right_alone, a, b[2], b[3]);
  bool same = true;
  for (int i = 0; i < 4; ++i) {
    same = same && left[i] == left_alone[i] && right[i] == right_alone[i];
  }
  return same && left[0] != right[0];
}

ODDTILE_KERNEL(64, 1) mma_wide(Litmus p) {
  const bool half = mma_wide_agrees<Half>();
  const bool bfloat16 = mma_wide_agrees<Bfloat16>();
  store(p.out, thread(), half && bfloat16 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
