// pass: every width is stored to the other block, which looks after the barrier.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_store_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 1024, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_store(Litmus p) {
  std::byte* own = shared_memory();
  const ClusterAddress other = map_shared_rank(own, 1 - cluster_rank());
  cluster_arrive();
  cluster_wait();
  store_as(other, lane(), uint8_t(lane() + 1));
  store_as(other + 32u, lane(), uint16_t(lane() + 2));
  store_as(other + 128u, lane(), float(lane() + 3));
  store_as(other + 256u, lane(), Vector<float, 2>{{float(lane()), 4.0f}});
  store_as(other + 512u, lane(), Vector<float, 4>{{float(lane()), 5.0f, 6.0f, 7.0f}});
  cluster_arrive();
  cluster_wait();
  const float* wide = reinterpret_cast<const float*>(own + 512) + 4 * lane();
  const float* pair = reinterpret_cast<const float*>(own + 256) + 2 * lane();
  bool right = own[lane()] == std::byte(lane() + 1);
  right = right && reinterpret_cast<const uint16_t*>(own + 32)[lane()] == uint16_t(lane() + 2);
  right = right && reinterpret_cast<const float*>(own + 128)[lane()] == float(lane() + 3);
  right = right && pair[0] == float(lane()) && pair[1] == 4.0f;
  right = right && wide[0] == float(lane()) && wide[1] == 5.0f && wide[3] == 7.0f;
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
