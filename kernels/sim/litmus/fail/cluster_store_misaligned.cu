// fail misaligned: eight bytes are stored at an odd place of the other block.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_store_misaligned_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 512, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_store_misaligned(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  const ClusterAddress other = map_shared_rank(own + 1, 1 - cluster_rank());
  cluster_arrive();
  cluster_wait();
  store_as(other, lane(), Vector<float, 2>{{1.0f, 1.0f}});
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
