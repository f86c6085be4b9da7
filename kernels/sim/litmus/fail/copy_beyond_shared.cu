// fail out_of_bounds: a copy lands behind the block's shared memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_beyond_shared_shape{.blocks = 1, .threads = 32, .shared_bytes = 496};

ODDTILE_KERNEL(32, 1) copy_beyond_shared(Litmus p) {
  copy_async_16(shared_memory() + 16 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  wait_copies<0>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
