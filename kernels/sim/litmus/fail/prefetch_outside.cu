// fail out_of_bounds: one lane asks for the line beyond the end, of which nothing is the tensor's.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape prefetch_outside_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) prefetch_outside(Litmus p) {
  prefetch(p.in, thread() == 5 ? kLitmusElements + 32 : thread());
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
