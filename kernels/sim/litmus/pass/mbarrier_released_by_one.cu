// pass: one lane releases a stage once all of its warp have seen it full.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mbarrier_released_by_one_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) mbarrier_released_by_one(ODDTILE_GRID_CONSTANT Litmus p) {
  row_released_by_one(p, [] { sync_warp(); });
}

}  // namespace oddtile::ODDTILE_MACHINE
