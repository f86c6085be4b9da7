// fail shared_race: the tile is read at once.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_not_awaited_shape{.blocks = 1, .threads = 64, .shared_bytes = 8256};

ODDTILE_KERNEL(64, 1) bulk_not_awaited(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    load_tensor_bulk(shared_memory(), &p.tile_128, {0, 0}, full);
  }
  const bool right = tile_is(shared_memory(), 0, 0, 64, 64, Swizzle::span_128);
  mbarrier_wait(full, 0);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
