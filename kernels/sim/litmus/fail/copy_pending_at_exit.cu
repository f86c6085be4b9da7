// fail pending_copies_at_exit: the last group is never awaited.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_pending_at_exit_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_pending_at_exit(Litmus p) {
  copy_async_16(shared_memory() + 16 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
