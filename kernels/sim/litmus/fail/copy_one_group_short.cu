// fail shared_race, result under some schedule: the wait leaves the group in flight that is read
// next.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_one_group_short_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_one_group_short(Litmus p) {
  float* buffer = reinterpret_cast<float*>(shared_memory());
  copy_async_16(buffer + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  wait_copies<1>();  // should be 0
  store(p.out, thread(), buffer[4 * lane()] == float(4 * lane()) ? 1.0f : 0.0f);
  wait_copies<0>();
}

}  // namespace oddtile::ODDTILE_MACHINE
