// pass: outside the tensor there are zeros, and they count as bytes.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_tensor_zero_fill_shape{.blocks = 1, .threads = 64, .shared_bytes = 8256};

ODDTILE_KERNEL(64, 1) bulk_tensor_zero_fill(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 2, 1);
  load_tile(shared_memory(), &p.tile_128, 64, 40, full);
  bool right = tile_is(shared_memory(), 40, 64, 64, 64, Swizzle::span_128);
  fence_async_proxy_shared();
  sync_block();
  load_tile(shared_memory(), &p.tile_128, -8, -4, full + 1);
  right = right && tile_is(shared_memory(), -4, -8, 64, 64, Swizzle::span_128);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
