// fail barrier_divergence: both halves of a warp wait, but at different barriers.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_at_two_places_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) barrier_at_two_places(Litmus p) {
  if (lane() < 16) {
    sync_block();
  } else {
    sync_block();
  }
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
