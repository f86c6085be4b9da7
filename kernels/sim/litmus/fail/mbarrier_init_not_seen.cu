// fail shared_race: lanes arrive without having been told that the barrier is there.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_init_not_seen_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_init_not_seen(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared_memory());
  if (thread() == 0) {
    mbarrier_init(barrier, 64);
    store(p.out, 64, 1.0f);
  }
  vote_all(true);  // holds lanes together, orders nothing
  if (warp() == 0) mbarrier_arrive(barrier);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
