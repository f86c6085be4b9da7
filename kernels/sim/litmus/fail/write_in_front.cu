// fail out_of_bounds: an index of -1 writes in front of the tensor.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape write_in_front_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) write_in_front(Litmus p) {
  store(p.out, thread(), 1.0f);
  store(p.out, int64_t(thread()) - 1, 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
