// fail collective_divergence: half of the warp votes while the other half exchanges.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape vote_against_shuffle_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) vote_against_shuffle(Litmus p) {
  const bool voter = lane() < 16;
  const int32_t got = voter ? int32_t(vote_any(true)) : shuffle(thread(), 0);
  store(p.out, thread(), float(got));
}

}  // namespace oddtile::ODDTILE_MACHINE
