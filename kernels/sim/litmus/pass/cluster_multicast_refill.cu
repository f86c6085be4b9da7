// pass: blocks take turns to copy for both, once every lane has let go of the tile.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_multicast_refill_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 8256, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_multicast_refill(ODDTILE_GRID_CONSTANT Litmus p) {
  tile_by_turns(
      p,
      [](Mbarrier* empty, int step, bool issues) {
        if (issues && step > 0) mbarrier_wait_cluster(empty, uint32_t((step - 1) / 2) % 2);
      },
      [](Mbarrier* empty, int step) { mbarrier_arrive(map_shared_rank(empty, (step + 1) % 2)); });
}

}  // namespace oddtile::ODDTILE_MACHINE
