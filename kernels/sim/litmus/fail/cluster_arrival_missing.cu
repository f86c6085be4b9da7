// fail deadlock: block 0 waits for more remote arrivals than there are.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_arrival_missing_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 64, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_arrival_missing(Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory(), 1, 2 * 32);
  cluster_arrive();
  cluster_wait();
  if (cluster_rank() == 1) mbarrier_arrive_cluster(map_shared_rank(full, 0));
  if (cluster_rank() == 0) mbarrier_wait_cluster(full, 0);
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
