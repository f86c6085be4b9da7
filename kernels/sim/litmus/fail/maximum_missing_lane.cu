// fail collective_divergence: one lane has left before the maximum.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape maximum_missing_lane_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) maximum_missing_lane(Litmus p) {
  if (lane() == 5) return;
  store(p.out, thread(), maximum_over_warp(lane()) == 31 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
