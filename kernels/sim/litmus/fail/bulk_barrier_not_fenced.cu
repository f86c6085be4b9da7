// fail barrier_misuse: the copy may not see that its barrier was initialised.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_barrier_not_fenced_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 8256};

ODDTILE_KERNEL(32, 1) bulk_barrier_not_fenced(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = reinterpret_cast<Mbarrier*>(shared_memory() + kTileBytes);
  if (thread() == 0) {
    mbarrier_init(full, 1);  // no fence_mbarrier_init()
    mbarrier_arrive_expect(full, kTileBytes);
    load_tensor_bulk(shared_memory(), &p.tile_128, {0, 0}, full);
  }
  sync_block();
  mbarrier_wait(full, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
