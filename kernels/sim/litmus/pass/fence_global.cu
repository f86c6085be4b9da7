// pass: a copy reads from global memory what was fenced for it there.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_global_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) fence_global(Litmus p) {
  copy_of_stored(p, [] { fence_async_proxy_global(); });
}

}  // namespace oddtile::ODDTILE_MACHINE
