// fail shared_race: what one warp still reads another one overwrites.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape read_then_write_race_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) read_then_write_race(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[thread()] = float(thread());
  sync_block();
  const float other = values[63 - thread()];
  values[thread()] = -1.0f;  // a barrier is missing above
  store(p.out, thread(), other == float(63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
