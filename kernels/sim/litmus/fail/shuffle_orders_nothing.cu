// fail shared_race: a shuffle exchanges registers and orders no memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shuffle_orders_nothing_shape{.blocks = 1, .threads = 32, .shared_bytes = 128};

ODDTILE_KERNEL(32, 1) shuffle_orders_nothing(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[lane()] = float(lane());
  const float unused = shuffle_xor(float(lane()), 1);
  const float other = values[lane() ^ 1];
  store(p.out, thread(), other == unused ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
