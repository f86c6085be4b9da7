// fail shared_race under some schedule: the consumer waits for the first phase again and again.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_phase_kept_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_phase_kept(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = reinterpret_cast<Mbarrier*>(shared_memory() + 512);
  Mbarrier* empty = full + 1;
  if (thread() == 0) {
    mbarrier_init(full, 1);
    mbarrier_init(empty, 32);
  }
  sync_block();
  bool right = true;
  for (int step = 0; step < 2; ++step) {
    if (warp() == 1) {
      if (lane() == 0) {
        mbarrier_wait(empty, uint32_t(step + 1) % 2);
        shared[0] = float(step);
        mbarrier_arrive(full);
      }
    } else {
      mbarrier_wait(full, 0);  // should be step % 2
      right = right && shared[0] == float(step);
      mbarrier_arrive(empty);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
