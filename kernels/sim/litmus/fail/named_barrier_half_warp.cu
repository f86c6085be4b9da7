// fail collective_divergence: sixteen lanes of a warp go to a named barrier.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape named_barrier_half_warp_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) named_barrier_half_warp(ODDTILE_GRID_CONSTANT Litmus p) {
  if (lane() < 16) named_barrier_sync<1, 64>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
