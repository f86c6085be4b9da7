// fail barrier_divergence: a warp arrives again before it has waited.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_arrives_twice_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 0, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_arrives_twice(Litmus p) {
  cluster_arrive();
  if (warp() == 1) cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
