// fail collective_divergence: half of a warp never comes to the warp barrier.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape sync_warp_in_half_warp_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) sync_warp_in_half_warp(Litmus p) {
  if (lane() < 16) sync_warp();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
