// fail shared_race: two warps write one place, and nothing says who is last.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape write_write_race_shape{.blocks = 1, .threads = 64, .shared_bytes = 128};

ODDTILE_KERNEL(64, 1) write_write_race(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[lane()] = float(warp());
  sync_block();
  store(p.out, thread(), values[lane()] == 1.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
