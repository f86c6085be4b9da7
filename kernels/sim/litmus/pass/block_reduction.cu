// pass: one number of each warp through shared memory, the place used twice.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape block_reduction_shape{.blocks = 1, .threads = 128, .shared_bytes = 16};

ODDTILE_KERNEL(128, 1) block_reduction(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  bool right = true;
  for (int round = 1; round <= 3; ++round) {
    float sum = float(round * lane());
    for (int32_t mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane() == 0) values[warp()] = sum;
    sync_block();
    right = right && values[0] + values[1] + values[2] + values[3] == float(4 * 496 * round);
    sync_block();
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
