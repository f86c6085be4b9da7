// pass: loads of every width from the other block.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_load_widths_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 512, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_load_widths(Litmus p) {
  uint8_t* own = reinterpret_cast<uint8_t*>(shared_memory());
  for (int i = lane(); i < 512; i += 32) own[i] = uint8_t(i + cluster_rank());
  cluster_arrive();
  cluster_wait();
  const int32_t rank = 1 - cluster_rank();
  const ClusterAddress other = map_shared_rank(own, rank);
  const auto byte_at = [&](int i) { return uint8_t(i + rank); };
  bool right = load_as<uint8_t>(other, lane()) == byte_at(lane());
  const uint16_t two = load_as<uint16_t>(other, lane());
  right = right && two == (byte_at(2 * lane()) | byte_at(2 * lane() + 1) << 8);
  const uint32_t four = load_as<uint32_t>(other, lane());
  right = right && uint8_t(four >> 24) == byte_at(4 * lane() + 3);
  const auto eight = load_as<Vector<uint32_t, 2>>(other, lane());
  right = right && uint8_t(eight.element[1]) == byte_at(8 * lane() + 4);
  const auto sixteen = load_as<Vector<uint32_t, 4>>(other, lane());
  right = right && uint8_t(sixteen.element[3] >> 24) == byte_at(16 * lane() + 15);
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
