// fail barrier_count: an increase to fewer registers than there are.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape registers_wrong_direction_shape{
    .blocks = 1, .threads = 128, .shared_bytes = 1024};

ODDTILE_KERNEL(128, 1) registers_wrong_direction(ODDTILE_GRID_CONSTANT Litmus p) {
  setmaxnreg_increase<24>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
