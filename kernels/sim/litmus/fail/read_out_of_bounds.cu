// fail out_of_bounds: one lane reads a whole 128-byte line beyond the end.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape read_out_of_bounds_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) read_out_of_bounds(Litmus p) {
  const int64_t last = thread() == 5 ? kLitmusElements + 32 : thread();
  store(p.out, thread(), load(p.in, last) == float(last) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
