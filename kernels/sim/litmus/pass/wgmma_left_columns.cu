// pass: the left operand MN-major, too.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_left_columns_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_DEVICE float column_times_column(int column, int other) {
  float sum = 0.0f;
  for (int k = 0; k < 64; ++k) sum += tile_value(k, column) * tile_value(k, other);
  return sum;
}

ODDTILE_KERNEL(128, 1) wgmma_left_columns(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor columns = matrix_descriptor(tile, 64 * 128, 1024, Swizzle::span_128);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) {
    const MatrixDescriptor step = columns + 16 * 128 * k;
    wgmma<Bfloat16, Major::mn, Major::mn>(sum, step, step, k != 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, column_times_column);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
