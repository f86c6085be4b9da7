// pass: any number of lanes may read one place.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape readers_together_shape{.blocks = 1, .threads = 128, .shared_bytes = 4};

ODDTILE_KERNEL(128, 1) readers_together(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  if (thread() == 77) values[0] = 5.0f;
  sync_block();
  const float first = values[0];
  const float again = values[0];
  sync_block();
  if (thread() == 3) values[0] = 6.0f;
  sync_block();
  store(p.out, thread(), first == 5.0f && again == 5.0f && values[0] == 6.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
