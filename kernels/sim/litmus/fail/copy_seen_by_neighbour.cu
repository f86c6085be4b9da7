// fail shared_race, result under some schedule: a lane waits for its own copies only.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_seen_by_neighbour_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_seen_by_neighbour(Litmus p) {
  float* buffer = reinterpret_cast<float*>(shared_memory());
  copy_async_16(buffer + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  wait_copies<0>();
  const int other = 4 * (31 - lane());
  store(p.out, thread(), buffer[other] == float(other) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
