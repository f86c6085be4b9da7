// fail shared_race: reads what another block sends before its barrier says that it is there.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_store_async_unawaited_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 64, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_store_async_unawaited(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 32, 1, 1);
  if (thread() == 0) mbarrier_arrive_expect(full, 4);
  cluster_arrive();
  cluster_wait();
  if (thread() == 0) {
    store_async(map_shared_rank(own, 1 - cluster_rank()), 1.0f,
                map_shared_rank(full, 1 - cluster_rank()));
  }
  store(p.out, 32 * block() + lane(), *own);
  mbarrier_wait_cluster(full, 0);
}

}  // namespace oddtile::ODDTILE_MACHINE
