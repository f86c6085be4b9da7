// fail collective_divergence: half a warp elects.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape elect_one_half_warp_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) elect_one_half_warp(ODDTILE_GRID_CONSTANT Litmus p) {
  if (lane() < 16 && elect_one()) store(p.out, 0, 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
