// fail shared_race: another block is read before it is known to have written.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_no_barrier_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 128, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_no_barrier(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[lane()] = 1.0f;
  const float got = load_as<float>(map_shared_rank(own, 1 - cluster_rank()), lane());
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), got);
}

}  // namespace oddtile::ODDTILE_MACHINE
