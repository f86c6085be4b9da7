// fail shared_race under some schedule: the reader says that it is there and does not wait.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_arrival_for_sync_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1)
named_barrier_arrival_for_sync(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  bool right = true;
  if (warp() == 0) {
  } else {
    named_barrier_arrive<1, 64>();
  }
  for (int step = 0; step < 4; ++step) {
    if (warp() == 0) {
      named_barrier_sync<1, 64>();
      shared[lane()] = float(step);
      named_barrier_arrive<2, 64>();
    } else {
      named_barrier_arrive<2, 64>();
      right = right && shared[31 - lane()] == float(step);
      named_barrier_arrive<1, 64>();
    }
  }
  if (warp() == 0) named_barrier_sync<1, 64>();
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
