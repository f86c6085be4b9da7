// fail barrier_count: one warp counts on 64 lanes, the other on 96.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_counts_differ_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) named_barrier_counts_differ(ODDTILE_GRID_CONSTANT Litmus p) {
  if (warp() == 0) {
    named_barrier_arrive<1, 64>();
  } else {
    named_barrier_arrive<1, 96>();
  }
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
