// pass: each block reads what the next one of its cluster has written, and outlives its reader.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_exchange_shape{
    .blocks = 8, .threads = 64, .shared_bytes = 256, .cluster_blocks = 4};

ODDTILE_KERNEL(64, 1) cluster_exchange(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[thread()] = float(64 * block() + thread());
  cluster_arrive();
  cluster_wait();
  const int32_t next = (cluster_rank() + 1) % cluster_size();
  const float got = load_as<float>(map_shared_rank(own, next), 63 - thread());
  cluster_arrive();
  cluster_wait();
  const int64_t neighbour = block() - cluster_rank() + next;
  store(p.out, 64 * block() + thread(), got == float(64 * neighbour + 63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
