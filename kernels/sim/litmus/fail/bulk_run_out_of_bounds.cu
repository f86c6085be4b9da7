// fail out_of_bounds: a run that ends behind its array.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_run_out_of_bounds_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) bulk_run_out_of_bounds(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 256);
    load_bulk(shared_memory(), p.in + (kLitmusElements - 32), 256, full);
  }
  mbarrier_wait(full, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
