// fail out_of_bounds: one lane asks for the sector in front of the tensor.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape prefetch_sector_outside_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) prefetch_sector_outside(Litmus p) {
  prefetch_sector(p.out, thread() == 5 ? -8 : thread());
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
