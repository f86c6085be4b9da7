// fail out_of_bounds: rows that are too far apart.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_outside_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_outside(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  const MatrixDescriptor wide = matrix_descriptor(tile, 16, 8192, Swizzle::span_128);
  wgmma_fence();
  wgmma<Bfloat16>(sum, rows, wide, false);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_row);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
