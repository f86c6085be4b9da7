// fail leftover_at_exit: the warps exit before their products are done.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_pending_at_exit_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_pending_at_exit(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
