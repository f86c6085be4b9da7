// fail global_race: every block writes one element.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape blocks_write_one_place_shape{.blocks = 3, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) blocks_write_one_place(Litmus p) {
  store(p.out, 32 * block() + lane(), 1.0f);
  if (lane() == 0) store(p.out, 600, float(block()));
}

}  // namespace oddtile::ODDTILE_MACHINE
