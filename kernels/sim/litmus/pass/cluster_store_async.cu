// pass: the blocks send a number each to all of them, which wait for the bytes alone.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_store_async_shape{
    .blocks = 4, .threads = 32, .shared_bytes = 1024, .cluster_blocks = 4};

ODDTILE_KERNEL(32, 1) cluster_store_async(Litmus p) {
  auto* pairs = reinterpret_cast<Vector<float, 2>*>(shared_memory());
  auto* quad = reinterpret_cast<Vector<float, 4>*>(shared_memory() + 256);
  float* single = reinterpret_cast<float*>(shared_memory() + 320);
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  if (thread() == 0) mbarrier_arrive_expect(full, 4 * 8 + 16 + 4);
  cluster_arrive();
  cluster_wait();
  const float own = float(cluster_rank());
  const ClusterAddress there = map_shared_rank(full, lane() % 4);
  if (lane() < 4) {
    store_async(map_shared_rank(pairs + cluster_rank(), lane()),
                Vector<float, 2>{own, float(lane())}, there);
  }
  if (lane() == cluster_rank()) {
    store_async(map_shared_rank(quad, lane()), Vector<float, 4>{1.0f, 2.0f, 3.0f, own}, there);
    store_async(map_shared_rank(single, lane()), own, there);
  }
  mbarrier_wait_cluster(full, 0);
  bool right = *single == own && quad->element[2] == 3.0f && quad->element[3] == own;
  for (int i = 0; i < 4; ++i) {
    right = right && pairs[i].element[0] == float(i) && pairs[i].element[1] == own;
  }
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
