// fail deadlock: the producer waits for a phase that nobody can end.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_producer_not_inverted_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_producer_not_inverted(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = reinterpret_cast<Mbarrier*>(shared_memory() + 512);
  Mbarrier* empty = full + 1;
  if (thread() == 0) {
    mbarrier_init(full, 1);
    mbarrier_init(empty, 32);
  }
  sync_block();
  if (thread() == 32) {
    mbarrier_wait(empty, 0);  // should be 1: the slot is empty to begin with
    mbarrier_arrive(full);
  }
  if (warp() == 0) {
    mbarrier_wait(full, 0);
    mbarrier_arrive(empty);
  }
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
