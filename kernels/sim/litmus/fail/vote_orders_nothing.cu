// fail shared_race: a vote orders no memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape vote_orders_nothing_shape{.blocks = 1, .threads = 32, .shared_bytes = 128};

ODDTILE_KERNEL(32, 1) vote_orders_nothing(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[lane()] = float(lane());
  const bool all = vote_all(values[lane()] >= 0.0f);
  const float other = values[31 - lane()];
  store(p.out, thread(), all && other == float(31 - lane()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
