// fail out_of_bounds: an unclamped tail is copied.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_out_of_bounds_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_out_of_bounds(Litmus p) {
  copy_async_16(shared_memory() + 16 * lane(), p.in + (kLitmusElements - 64 + 4 * lane()), 16);
  commit_copies();
  wait_copies<0>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
