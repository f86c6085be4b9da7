// fail proxy_race: the copy may not see what plain code has stored.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_store_no_fence_shape{.blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1) bulk_store_no_fence(ODDTILE_GRID_CONSTANT Litmus p) {
  for (int i = thread(); i < 64 * 64; i += threads()) {
    const Bfloat16 value = from_float<Bfloat16>(tile_value(i / 64, i % 64));
    *tile_element(shared_memory(), i / 64, i % 64, Swizzle::span_128) = value;
  }
  // no fence_async_proxy_shared()
  sync_block();
  bool right = true;
  if (thread() == 0) {
    store_tensor_bulk(&p.stored_128, {0, 0}, shared_memory());
    commit_bulk();
    wait_bulk<0>();
    for (int i = 0; i < 64 * 64; i += 17) {
      const int row = i / 64;
      const int column = 0 + i % 64;
      if (column >= kTileColumns) continue;
      const Bfloat16 got = load(Global<const Bfloat16>(p.stored), row * kTileColumns + column);
      right = right && to_float(got) == tile_value(row, i % 64);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
