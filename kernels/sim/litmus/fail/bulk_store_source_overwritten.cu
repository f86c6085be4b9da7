// fail shared_race: the source is written again while it may still be read.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_store_source_overwritten_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1)
bulk_store_source_overwritten(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_tile(shared_memory());
  fence_async_proxy_shared();
  sync_block();
  if (thread() == 0) {
    store_tensor_bulk(&p.stored_128, {0, 0}, shared_memory());
    commit_bulk();
    // no wait_bulk_read<0>()
  }
  sync_block();
  *tile_element(shared_memory(), thread(), 5, Swizzle::span_128) = from_float<Bfloat16>(99.0f);
  if (thread() == 0) wait_bulk<0>();
  sync_block();
  const Bfloat16 got = load(Global<const Bfloat16>(p.stored), thread() * kTileColumns + 5);
  store(p.out, thread(), to_float(got) == tile_value(thread(), 5) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
