// fail shared_race under some schedule: a few tests of a barrier are taken for a wait.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_try_wait_gives_up_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_try_wait_gives_up(Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  float* shared = reinterpret_cast<float*>(shared_memory() + 64);
  if (thread() == 0) mbarrier_init(barrier, 1);
  sync_block();
  if (thread() == 63) {
    shared[0] = 5.0f;
    mbarrier_arrive(barrier);
  }
  for (int test = 0; test < 4; ++test) {
    if (mbarrier_try_wait(barrier, 0)) break;
  }
  store(p.out, thread(), shared[0] == 5.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
