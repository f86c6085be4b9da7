// pass: a tile is copied over once every lane of both blocks has let go of it.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_multicast_refill_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 8256, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_multicast_refill(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  Mbarrier* empty = ready_barriers(shared_memory() + kTileBytes + 8, 1, 2 * 64);
  cluster_arrive();
  cluster_wait();
  bool right = true;
  for (int step = 0; step < 3; ++step) {
    if (thread() == 0) {
      mbarrier_arrive_expect(full, kTileBytes);
      mbarrier_wait_cluster(empty, uint32_t(step + 1) % 2);
      if (cluster_rank() == step % 2) {
        load_tensor_multicast(shared_memory(), &p.tile_128, {0, step}, full, 0b11,
                              cache_policy(CacheHint::evict_normal));
      }
    }
    mbarrier_wait_cluster(full, uint32_t(step) % 2);
    right = right && tile_is(shared_memory(), step, 0, 64, 64, Swizzle::span_128);
    fence_async_proxy_shared();
    for (int32_t rank = 0; rank < 2; ++rank) mbarrier_arrive(map_shared_rank(empty, rank));
  }
  cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
