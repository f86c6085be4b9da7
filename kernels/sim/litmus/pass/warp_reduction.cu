// pass: a tree in shared memory, a warp barrier before and after each level.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape warp_reduction_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) warp_reduction(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory()) + 32 * warp();
  values[lane()] = load(p.in, lane());
  for (int half = 16; half > 0; half /= 2) {
    sync_warp();
    const float sum = lane() < half ? values[lane()] + values[lane() + half] : 0.0f;
    sync_warp();
    if (lane() < half) values[lane()] = sum;
  }
  sync_warp();
  store(p.out, thread(), values[0] == 496.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
