// fail global_race: each lane fences its own store, and one draws the ticket for all of them.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_device_before_barrier_shape{
    .blocks = 4, .threads = 32, .shared_bytes = 16};

ODDTILE_KERNEL(32, 1) fence_device_before_barrier(Litmus p) {
  last_block_reads(p, DeviceFence(), NoFence(), DeviceFence());
}

}  // namespace oddtile::ODDTILE_MACHINE
