// fail global_race: blocks draw a ticket without a fence between their stores and it.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_device_missing_shape{.blocks = 4, .threads = 32, .shared_bytes = 16};

ODDTILE_KERNEL(32, 1) fence_device_missing(Litmus p) {
  last_block_reads(p, NoFence(), NoFence(), DeviceFence());
}

}  // namespace oddtile::ODDTILE_MACHINE
