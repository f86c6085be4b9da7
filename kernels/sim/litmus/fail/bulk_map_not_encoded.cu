// fail asynchronous_misuse: a map that nobody has made.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_map_not_encoded_shape{.blocks = 1, .threads = 32, .shared_bytes = 8256};

ODDTILE_KERNEL(32, 1) bulk_map_not_encoded(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  const TensorMap map{};
  if (thread() == 0) load_tensor_bulk(shared_memory(), &map, {0, 0}, full);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
