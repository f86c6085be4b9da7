// fail proxy_race: the fence before a copy from global memory is one of shared memory.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_shared_for_global_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) fence_shared_for_global(Litmus p) {
  copy_of_stored(p, [] { fence_async_proxy_shared(); });
}

}  // namespace oddtile::ODDTILE_MACHINE
