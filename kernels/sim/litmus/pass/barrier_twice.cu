// pass: a second barrier keeps a fast warp from overwriting what a slow one still reads.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_twice_shape{.blocks = 1, .threads = 96, .shared_bytes = 384};

ODDTILE_KERNEL(96, 1) barrier_twice(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  bool right = true;
  for (int round = 0; round < 4; ++round) {
    values[thread()] = float(100 * round + thread());
    sync_block();
    const int from = (thread() + 32) % 96;
    right = right && values[from] == float(100 * round + from);
    sync_block();
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
