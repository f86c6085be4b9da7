// fail shared_race: who is late at the second barrier is overtaken by a phase of it.
#include "kernels/sim/litmus/releases.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_multicast_two_releases_shape{
    .blocks = 2, .threads = 64, .shared_bytes = 8256, .cluster_blocks = 2};

ODDTILE_KERNEL(64, 1) cluster_multicast_two_releases(ODDTILE_GRID_CONSTANT Litmus p) {
  tile_by_turns(
      p,
      [](Mbarrier* empty, int step, bool) { mbarrier_wait_cluster(empty, uint32_t(step + 1) % 2); },
      [](Mbarrier* empty, int) {
        for (int32_t rank = 0; rank < 2; ++rank) mbarrier_arrive(map_shared_rank(empty, rank));
      });
}

}  // namespace oddtile::ODDTILE_MACHINE
