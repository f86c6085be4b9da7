// fail collective_divergence: one lane has left before the vote.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape vote_missing_lane_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) vote_missing_lane(Litmus p) {
  if (lane() == 5) return;
  store(p.out, thread(), vote_any(lane() == 6) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
