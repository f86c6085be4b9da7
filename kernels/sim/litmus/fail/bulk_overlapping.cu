// fail shared_race: two copies to one place.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_overlapping_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) bulk_overlapping(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 512);
    load_bulk(shared_memory(), p.in, 256, full);
    load_bulk(shared_memory() + 128, p.in, 256, full);
  }
  mbarrier_wait(full, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
