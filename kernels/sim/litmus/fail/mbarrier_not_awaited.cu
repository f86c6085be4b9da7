// fail shared_race: it arrives and reads at once.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_not_awaited_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_not_awaited(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory() + 512);
  if (thread() == 0) mbarrier_init(barrier, 64);
  sync_block();
  shared[thread()] = float(thread());
  mbarrier_arrive(barrier);
  store(p.out, thread(), shared[63 - thread()] == float(63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
