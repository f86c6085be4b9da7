// fail shared_race: a copy to both blocks overwrites what the other one may still read.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_multicast_too_soon_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 8256, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_multicast_too_soon(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  cluster_arrive();
  cluster_wait();
  bool right = true;
  for (int step = 0; step < 2; ++step) {
    sync_block();  // this block's lanes have read; the other one's, nobody knows
    if (thread() == 0) mbarrier_arrive_expect(full, kTileBytes);
    if (cluster_rank() == 0 && thread() == 0) {
      load_tensor_multicast(shared_memory(), &p.tile_128, {0, step}, full, 0b11,
                            cache_policy(CacheHint::evict_normal));
    }
    mbarrier_wait_cluster(full, uint32_t(step) % 2);
    right = right && tile_is(shared_memory(), step, 0, 64, 64, Swizzle::span_128);
    fence_async_proxy_shared();
  }
  cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
