// fail shared_race: two copies are under way to one place.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_twice_in_flight_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_twice_in_flight(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * lane(), p.in + 4 * lane(), 16);
  copy_async_16(values + 4 * lane(), p.in + (128 + 4 * lane()), 16);
  commit_copies();
  wait_copies<0>();
  store(p.out, thread(), values[4 * lane()] == float(128 + 4 * lane()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
