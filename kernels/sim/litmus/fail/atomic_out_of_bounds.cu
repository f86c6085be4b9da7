// fail out_of_bounds: there is one counter.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape atomic_out_of_bounds_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) atomic_out_of_bounds(ODDTILE_GRID_CONSTANT Litmus p) {
  atomic_add(p.counter, 1, 1);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
