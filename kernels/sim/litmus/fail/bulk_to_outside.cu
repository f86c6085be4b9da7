// fail out_of_bounds: a tile ends behind the block's shared memory.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_to_outside_shape{.blocks = 1, .threads = 32, .shared_bytes = 8256};

ODDTILE_KERNEL(32, 1) bulk_to_outside(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    load_tensor_bulk(shared_memory() + 128, &p.tile_128, {0, 0}, full);
  }
  mbarrier_wait(full, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
