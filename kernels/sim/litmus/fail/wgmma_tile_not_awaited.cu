// fail shared_race: the copy of the tile was not awaited.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_tile_not_awaited_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_tile_not_awaited(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, kTileBytes);
    load_tensor_bulk(tile, &p.tile_128, {0, 0}, full);
  }
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  mbarrier_wait(full, 0);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
