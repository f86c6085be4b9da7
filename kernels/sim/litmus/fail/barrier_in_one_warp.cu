// fail deadlock: one warp waits at a barrier that the other never reaches.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_in_one_warp_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) barrier_in_one_warp(Litmus p) {
  if (warp() == 0) sync_block();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
