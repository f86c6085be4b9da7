// pass: a plain run of bytes, expected apart from the arrival.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_run_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) bulk_run(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  if (thread() == 0) {
    mbarrier_expect(full, 512);
    load_bulk(shared, p.in + 128, 512, full);
    mbarrier_arrive(full);
  }
  mbarrier_wait(full, 0);
  bool right = true;
  for (int i = lane(); i < 128; i += 32) right = right && shared[i] == float(128 + i);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
