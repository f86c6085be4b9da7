// pass: the last block to draw a ticket reads what the others have written.
#include "kernels/sim/litmus/fences.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_device_last_block_shape{.blocks = 4, .threads = 32, .shared_bytes = 16};

ODDTILE_KERNEL(32, 1) fence_device_last_block(Litmus p) {
  last_block_reads(p, NoFence(), DeviceFence(), DeviceFence());
}

}  // namespace oddtile::ODDTILE_MACHINE
