// fail shared_race under some schedule: both pairs use one barrier, which lets anybody's 64 lanes
// pass.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_one_for_two_shape{
    .blocks = 1, .threads = 128, .shared_bytes = 1024};

ODDTILE_KERNEL(128, 1)
named_barrier_one_for_two(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  shared[thread()] = float(thread());
  named_barrier_sync<1, 64>();
  const int other = thread() ^ 127;  // should be 63
  store(p.out, thread(), shared[other] == float(other) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
