// fail proxy_race: the fence before a store of shared memory is one of global memory.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_global_for_shared_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1) fence_global_for_shared(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_tile(shared_memory());
  fence_async_proxy_global();
  sync_block();
  bool right = true;
  if (thread() == 0) {
    store_tensor_bulk(&p.stored_128, {0, 0}, shared_memory());
    commit_bulk();
    wait_bulk<0>();
    right = tile_was_stored(p, 0);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
