// pass: after its last use a barrier becomes plain memory again.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_invalidated_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_invalidated(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (thread() == 0) mbarrier_init(barrier, 64);
  sync_block();
  mbarrier_arrive(barrier);
  mbarrier_wait(barrier, 0);
  sync_block();
  if (thread() == 0) {
    mbarrier_invalidate(barrier);
    *reinterpret_cast<float*>(barrier) = 1.0f;
  }
  sync_block();
  store(p.out, thread(), *reinterpret_cast<float*>(barrier));
}

}  // namespace oddtile::ODDTILE_MACHINE
