// pass: the blocks hand a number each to block 0, which waits for their arrivals.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_remote_arrivals_shape{
    .blocks = 4, .threads = 32, .shared_bytes = 1024, .cluster_blocks = 4};

ODDTILE_KERNEL(32, 1) cluster_remote_arrivals(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 4 * 32);
  cluster_arrive();
  cluster_wait();
  store_as(map_shared_rank(own, 0), 32 * cluster_rank() + lane(), float(cluster_rank() + lane()));
  mbarrier_arrive_cluster(map_shared_rank(full, 0));
  bool right = true;
  if (cluster_rank() == 0) {
    mbarrier_wait_cluster(full, 0);
    for (int i = 0; i < 4; ++i) right = right && own[32 * i + lane()] == float(i + lane());
  }
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
