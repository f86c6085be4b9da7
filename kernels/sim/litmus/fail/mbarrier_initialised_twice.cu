// fail barrier_misuse: every warp initialises the barrier.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_initialised_twice_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_initialised_twice(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (lane() == 0) mbarrier_init(barrier, 64);
  sync_block();
  mbarrier_arrive(barrier);
  mbarrier_wait(barrier, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
