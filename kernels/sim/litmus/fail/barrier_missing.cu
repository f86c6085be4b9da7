// fail shared_race, result: nothing orders the writer before the reader.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape barrier_missing_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) barrier_missing(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[thread()] = float(thread());
  const float other = values[63 - thread()];
  store(p.out, thread(), other == float(63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
