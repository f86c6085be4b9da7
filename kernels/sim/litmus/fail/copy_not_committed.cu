// fail shared_race, result under some schedule: a group that was never closed is not waited for.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_not_committed_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_not_committed(Litmus p) {
  float* buffer = reinterpret_cast<float*>(shared_memory());
  copy_async_16(buffer + 4 * lane(), p.in + 4 * lane(), 16);
  wait_copies<0>();
  store(p.out, thread(), buffer[4 * lane()] == float(4 * lane()) ? 1.0f : 0.0f);
  commit_copies();
  wait_copies<0>();
}

}  // namespace oddtile::ODDTILE_MACHINE
