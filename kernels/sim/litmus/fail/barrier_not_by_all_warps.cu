// fail deadlock: one warp waits once more than the other.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_not_by_all_warps_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) barrier_not_by_all_warps(Litmus p) {
  for (int round = 0; round < 2 + warp(); ++round) sync_block();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
