// fail global_race: the source of a copy changes before the copy is awaited.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_source_in_flight_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_source_in_flight(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  store(p.out, 512 + 4 * lane(), 1.0f);
  copy_async_16(values + 4 * lane(), Global<const float>(p.out) + (512 + 4 * lane()), 16);
  commit_copies();
  store(p.out, 512 + 4 * lane(), 2.0f);
  wait_copies<0>();
  store(p.out, thread(), values[4 * lane()] == 1.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
