// fail out_of_bounds: a copy goes to a block that the cluster does not have.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_multicast_rank_outside_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 8256, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_multicast_rank_outside(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  if (thread() == 0) mbarrier_arrive_expect(full, kTileBytes);
  cluster_arrive();
  cluster_wait();
  if (cluster_rank() == 0 && thread() == 0) {
    load_tensor_multicast(shared_memory(), &p.tile_128, {0, 0}, full, 0b111,
                          cache_policy(CacheHint::evict_normal));
  }
  mbarrier_wait_cluster(full, 0);
  cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
