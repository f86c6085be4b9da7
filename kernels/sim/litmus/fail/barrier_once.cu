// fail shared_race, result: a fast warp overwrites what a slow one has yet to read.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_once_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) barrier_once(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  bool right = true;
  for (int round = 0; round < 4; ++round) {
    values[thread()] = float(100 * round + thread());
    sync_block();
    right = right && values[63 - thread()] == float(100 * round + 63 - thread());
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
