// pass: the left operand in registers.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_fragments_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_fragments(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  uint32_t a[16];  // the rows of this warp, as mma takes them
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) {
      const int row = sum_row(i % 2 * 2);
      const int column = 16 * k + 2 * (lane() % 4) + i / 2 * 8;
      a[4 * k + i] = pack<Bfloat16>(tile_value(row, column), tile_value(row, column + 1));
    }
  }
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, a + 4 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_row);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
