// pass: two pairs of warps meet apart from one another.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_pairs_shape{.blocks = 1, .threads = 128, .shared_bytes = 1024};

ODDTILE_KERNEL(128, 1) named_barrier_pairs(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  shared[thread()] = float(thread());
  if (warp() < 2) {
    named_barrier_sync<1, 64>();
  } else {
    named_barrier_sync<2, 64>();
  }
  const int other = thread() ^ 63;
  store(p.out, thread(), shared[other] == float(other) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
