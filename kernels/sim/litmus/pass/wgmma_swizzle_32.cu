// pass: panels of 16 columns in a swizzle of 32 bytes, both majors.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_swizzle_32_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_swizzle_32(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();  // 4 panels
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  constexpr int kPanelBytes = 64 * 32;
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    for (int panel = 0; panel < 4; ++panel) {
      load_tensor_bulk(tile + kPanelBytes * panel, &p.tile_32, {16 * panel, 0}, full);
    }
  }
  mbarrier_wait(full, 0);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 8 * 32, Swizzle::span_32);
  const MatrixDescriptor columns = matrix_descriptor(tile, kPanelBytes, 8 * 32, Swizzle::span_32);
  float sum[32];
  float turned[32];
  clear(sum);
  clear(turned);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) {
    const MatrixDescriptor a = rows + (k * 16 / 16 * kPanelBytes + k * 16 % 16 * 2);
    wgmma<Bfloat16>(sum, a, a, k != 0);
    wgmma<Bfloat16, Major::k, Major::mn>(turned, a, columns + 16 * 32 * k, k != 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  wgmma_ready(turned);
  bool right = sums_are(sum, row_times_row);
  right = sums_are(turned, row_times_column) && right;
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
