// pass: a sum over a cluster of 16, which is more than is portable.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_reduction_shape{
    .blocks = 16, .threads = 32, .shared_bytes = 128, .cluster_blocks = 16};

ODDTILE_KERNEL(32, 1) cluster_reduction(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[lane()] = float(cluster_rank() + lane());
  cluster_arrive();
  cluster_wait();
  float sum = 0.0f;
  for (int32_t rank = 0; rank < cluster_size(); ++rank) {
    sum += load_as<float>(map_shared_rank(own, rank), lane());
  }
  cluster_arrive();
  cluster_wait();
  const bool right = sum == float(120 + 16 * lane()) && block() == cluster_rank();
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
