// pass: a block that nobody visits any more need not wait before it exits.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_arrives_early_shape{
    .blocks = 3, .threads = 64, .shared_bytes = 256, .cluster_blocks = 3};

ODDTILE_KERNEL(64, 1) cluster_arrives_early(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[thread()] = float(block());
  cluster_arrive();
  const float mine = own[thread()];  // the barrier needs not be awaited for that
  cluster_wait();
  const float first = load_as<float>(map_shared_rank(own, 0), thread());
  cluster_arrive();
  if (cluster_rank() == 0) cluster_wait();
  store(p.out, 64 * block() + thread(), mine == float(block()) && first == 0.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
