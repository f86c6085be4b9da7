// fail shared_race: stores to a block that may not have started.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_not_started_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 128, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_not_started(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  store_as(map_shared_rank(own, 1 - cluster_rank()), lane(), 1.0f);
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), own[lane()]);
}

}  // namespace oddtile::ODDTILE_MACHINE
