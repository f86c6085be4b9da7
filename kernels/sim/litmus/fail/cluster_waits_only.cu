// fail barrier_divergence: a warp waits without having arrived.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_waits_only_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 0, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_waits_only(Litmus p) {
  if (warp() == 0) cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
