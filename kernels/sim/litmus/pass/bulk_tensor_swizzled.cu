// pass: a box lands swizzled, and the barrier says when.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_tensor_swizzled_shape{.blocks = 1, .threads = 64, .shared_bytes = 8256};

ODDTILE_KERNEL(64, 1) bulk_tensor_swizzled(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  load_tile(shared_memory(), &p.tile_128, 0, 0, full);
  const bool right = tile_is(shared_memory(), 0, 0, 64, 64, Swizzle::span_128);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
