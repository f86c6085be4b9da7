// fail asynchronous_misuse: a store to one block that is to tell a barrier of another.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_store_async_elsewhere_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 64, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_store_async_elsewhere(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 32, 1, 1);
  cluster_arrive();
  cluster_wait();
  if (block() == 0 && thread() == 0) {
    store_async(map_shared_rank(own, 0), 1.0f, map_shared_rank(full, 1));
  }
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
