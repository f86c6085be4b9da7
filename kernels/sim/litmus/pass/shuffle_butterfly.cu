// pass: five exchanges by xor leave the sum of the warp in every lane.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shuffle_butterfly_shape{.blocks = 2, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) shuffle_butterfly(Litmus p) {
  float sum = load(p.in, lane());
  for (int32_t mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  const double first = shuffle(double(sum) + lane(), 0);
  store(p.out, 64 * block() + thread(), sum == 496.0f && first == 496.0 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
