// fail shared_race: a stage is released, and its barrier may go on, before other lanes have looked.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_released_for_others_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_released_for_others(ODDTILE_GRID_CONSTANT Litmus p) {
  row_released_by_one(p, [] {});  // without a warp barrier
}

}  // namespace oddtile::ODDTILE_MACHINE
