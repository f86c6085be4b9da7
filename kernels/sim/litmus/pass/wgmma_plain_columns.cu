// pass: core matrices without a swizzle, MN-major on the right.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_plain_columns_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_plain_columns(ODDTILE_GRID_CONSTANT Litmus p) {
  // Core matrices of 8 columns for each of 8 k: along k 128 bytes apart, along columns 1024.
  Bfloat16* element = reinterpret_cast<Bfloat16*>(shared_memory());
  Bfloat16* turned = element + 64 * 64;
  for (int i = thread(); i < 64 * 64; i += threads()) {
    const int row = i / 64;
    const int column = i % 64;
    const int core = column / 8 * 8 + row / 8;
    const Bfloat16 value = from_float<Bfloat16>(tile_value(row, column));
    turned[core * 64 + row % 8 * 8 + column % 8] = value;
    element[(row / 8 * 8 + column / 8) * 64 + row % 8 * 8 + column % 8] = value;
  }
  fence_async_proxy_shared();
  sync_block();
  const MatrixDescriptor rows = matrix_descriptor(element, 128, 1024, Swizzle::none);
  const MatrixDescriptor columns = matrix_descriptor(turned, 128, 1024, Swizzle::none);
  float sum[32];
  clear(sum);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) {
    wgmma<Bfloat16, Major::k, Major::mn>(sum, rows + 256 * k, columns + 256 * k, k != 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_column);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
