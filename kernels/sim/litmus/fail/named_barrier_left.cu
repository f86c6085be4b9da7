// fail leftover_at_exit: half of a barrier's lanes never come.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_left_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) named_barrier_left(ODDTILE_GRID_CONSTANT Litmus p) {
  if (warp() == 0) named_barrier_arrive<3, 64>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
