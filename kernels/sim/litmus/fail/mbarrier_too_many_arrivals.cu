// fail barrier_count: all lanes arrive where one is expected, in one phase of which the bytes are
// missing.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_too_many_arrivals_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) mbarrier_too_many_arrivals(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (thread() == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_expect(barrier, 16);
  }
  sync_block();
  mbarrier_arrive(barrier);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
