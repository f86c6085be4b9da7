// fail barrier_misuse: nobody has initialised the barrier.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_not_initialised_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) mbarrier_not_initialised(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  mbarrier_arrive(barrier);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
