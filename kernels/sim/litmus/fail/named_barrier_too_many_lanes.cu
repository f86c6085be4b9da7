// fail barrier_count: more lanes than the block has.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_too_many_lanes_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) named_barrier_too_many_lanes(ODDTILE_GRID_CONSTANT Litmus p) {
  named_barrier_arrive<1, 128>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
