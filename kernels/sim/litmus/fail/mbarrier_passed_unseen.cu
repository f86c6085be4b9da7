// fail shared_race: a row is released unseen, maybe while others still read the one before.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_passed_unseen_shape{
    .blocks = 1, .threads = 96, .shared_bytes = 1024};

ODDTILE_KERNEL(96, 1) mbarrier_passed_unseen(ODDTILE_GRID_CONSTANT Litmus p) {
  rows_passed_over(p, [](Mbarrier*, int) {});
}

}  // namespace oddtile::ODDTILE_MACHINE
