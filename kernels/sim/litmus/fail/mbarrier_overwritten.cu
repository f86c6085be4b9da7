// fail barrier_misuse: data is written over a barrier in use.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_overwritten_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_overwritten(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (thread() == 0) {
    mbarrier_init(barrier, 64);
    *reinterpret_cast<float*>(barrier) = 1.0f;
  }
  sync_block();
  mbarrier_arrive(barrier);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
