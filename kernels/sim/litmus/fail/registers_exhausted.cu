// fail deadlock: two warpgroups want more than the third one gives.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape registers_exhausted_shape{.blocks = 1, .threads = 384, .shared_bytes = 1024};

ODDTILE_KERNEL(384, 1) registers_exhausted(ODDTILE_GRID_CONSTANT Litmus p) {
  if (warpgroup() == 0) {
    setmaxnreg_decrease<40>();
  } else {
    setmaxnreg_increase<240>();
  }
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
