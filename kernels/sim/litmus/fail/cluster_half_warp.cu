// fail barrier_divergence: half a warp arrives at the barrier of the cluster.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_half_warp_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 0, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_half_warp(Litmus p) {
  if (lane() < 16) cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
