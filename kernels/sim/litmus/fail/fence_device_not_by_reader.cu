// fail global_race: the last block reads after its ticket without a fence.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_device_not_by_reader_shape{
    .blocks = 4, .threads = 32, .shared_bytes = 16};

ODDTILE_KERNEL(32, 1) fence_device_not_by_reader(Litmus p) {
  last_block_reads(p, NoFence(), DeviceFence(), NoFence());
}

}  // namespace oddtile::ODDTILE_MACHINE
