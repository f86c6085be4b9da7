// fail deadlock: a loop of tests for an arrival that never comes.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_try_wait_for_ever_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_try_wait_for_ever(Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (thread() == 0) mbarrier_init(barrier, 2);
  sync_block();
  if (thread() == 63) mbarrier_arrive(barrier);
  while (!mbarrier_try_wait(barrier, 0)) {
  }
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
