// fail shared_race: a plain store to where a copy is about to land.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_under_store_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_under_store(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  values[4 * lane()] = -1.0f;
  wait_copies<0>();
  store(p.out, thread(), values[4 * lane()] == -1.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
