// fail out_of_bounds: one lane writes the element after the last.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape write_out_of_bounds_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) write_out_of_bounds(Litmus p) {
  store(p.out, thread(), 1.0f);
  if (thread() == 31) store(p.out, kLitmusElements, 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
