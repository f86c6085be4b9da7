// fail out_of_bounds: the cluster has no block of this rank.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_rank_outside_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 128, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_rank_outside(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[lane()] = 1.0f;
  cluster_arrive();
  cluster_wait();
  const float got = load_as<float>(map_shared_rank(own, cluster_rank() + 1), lane());
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), got);
}

}  // namespace oddtile::ODDTILE_MACHINE
