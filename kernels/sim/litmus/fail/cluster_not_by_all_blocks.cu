// fail barrier_divergence: one block of the cluster passes the barrier by.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_not_by_all_blocks_shape{
    .blocks = 3, .threads = 32, .shared_bytes = 0, .cluster_blocks = 3};

ODDTILE_KERNEL(32, 1) cluster_not_by_all_blocks(Litmus p) {
  if (cluster_rank() != 1) {
    cluster_arrive();
    cluster_wait();
  }
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
