// fail proxy_race: a copy reads from global memory what plain stores have put there.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_global_missing_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) fence_global_missing(Litmus p) {
  copy_of_stored(p, NoFence());
}

}  // namespace oddtile::ODDTILE_MACHINE
