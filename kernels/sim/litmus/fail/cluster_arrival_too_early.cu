// fail shared_race: arrives at a barrier that its block may not have made yet.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_arrival_too_early_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 64, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_arrival_too_early(Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory(), 1, 32);
  mbarrier_arrive_cluster(map_shared_rank(full, 1 - cluster_rank()));
  mbarrier_wait_cluster(full, 0);
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
