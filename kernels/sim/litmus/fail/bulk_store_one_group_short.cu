// fail result under some schedule: the wait leaves the group that matters.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_store_one_group_short_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1) bulk_store_one_group_short(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_tile(shared_memory());
  fence_async_proxy_shared();
  sync_block();
  if (thread() == 0) {
    store_tensor_bulk(&p.stored_128, {0, 0}, shared_memory());
    commit_bulk();
    wait_bulk_read<1>();  // should be 0
  }
  sync_block();
  *tile_element(shared_memory(), thread(), 5, Swizzle::span_128) = from_float<Bfloat16>(99.0f);
  if (thread() == 0) wait_bulk<0>();
  sync_block();
  const Bfloat16 got = load(Global<const Bfloat16>(p.stored), thread() * kTileColumns + 5);
  store(p.out, thread(), to_float(got) == tile_value(thread(), 5) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
