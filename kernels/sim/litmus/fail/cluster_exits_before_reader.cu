// fail shared_race: a block exits although nothing says that it has been read.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape cluster_exits_before_reader_shape{
    .blocks = 2, .threads = 32, .shared_bytes = 128, .cluster_blocks = 2};

ODDTILE_KERNEL(32, 1) cluster_exits_before_reader(Litmus p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  own[lane()] = 1.0f;
  cluster_arrive();
  cluster_wait();
  store(p.out, 32 * block() + lane(),
        load_as<float>(map_shared_rank(own, 1 - cluster_rank()), lane()));
}

}  // namespace oddtile::ODDTILE_MACHINE
