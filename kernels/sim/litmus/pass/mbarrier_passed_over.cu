// pass: a warp that has no use for a row awaits it all the same before it releases it.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_passed_over_shape{.blocks = 1, .threads = 96, .shared_bytes = 1024};

ODDTILE_KERNEL(96, 1) mbarrier_passed_over(ODDTILE_GRID_CONSTANT Litmus p) {
  rows_passed_over(p, [](Mbarrier* full, int step) { mbarrier_wait(full, uint32_t(step) % 2); });
}

}  // namespace oddtile::ODDTILE_MACHINE
