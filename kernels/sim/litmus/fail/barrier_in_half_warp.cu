// fail barrier_divergence: the barrier stands in a branch that half of each warp takes.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_in_half_warp_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) barrier_in_half_warp(Litmus p) {
  if (lane() < 16) sync_block();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
