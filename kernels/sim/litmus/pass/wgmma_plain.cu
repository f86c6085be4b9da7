// pass: core matrices without a swizzle, written by plain code and fenced.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_plain_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_plain(ODDTILE_GRID_CONSTANT Litmus p) {
  // 8 x 8 core matrices of 128 bytes: along k 128 bytes apart, along rows 1024.
  Bfloat16* element = reinterpret_cast<Bfloat16*>(shared_memory());
  for (int i = thread(); i < 64 * 64; i += threads()) {
    const int row = i / 64;
    const int column = i % 64;
    const int core = row / 8 * 8 + column / 8;
    element[core * 64 + row % 8 * 8 + column % 8] = from_float<Bfloat16>(tile_value(row, column));
  }
  fence_async_proxy_shared();
  sync_block();
  const MatrixDescriptor rows = matrix_descriptor(shared_memory(), 128, 1024, Swizzle::none);
  float sum[32];
  clear(sum);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, rows + 256 * k, rows + 256 * k, k != 0);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_row);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
