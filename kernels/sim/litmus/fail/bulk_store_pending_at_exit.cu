// fail leftover_at_exit: a lane exits while its store reads shared memory.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_store_pending_at_exit_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1) bulk_store_pending_at_exit(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_tile(shared_memory());
  fence_async_proxy_shared();
  sync_block();
  store(p.out, thread(), 1.0f);
  if (thread() != 0) return;
  store_tensor_bulk(&p.stored_128, {0, 0}, shared_memory());
  commit_bulk();
}

}  // namespace oddtile::ODDTILE_MACHINE
