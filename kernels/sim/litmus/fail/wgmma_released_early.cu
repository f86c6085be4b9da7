// fail shared_race: the operand is released while the products read it.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_released_early_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_released_early(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 2, 1);
  Mbarrier* empty = reinterpret_cast<Mbarrier*>(tile + kTileBytes + 16);
  if (thread() == 0) mbarrier_init(empty, 128);
  sync_block();
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  mbarrier_arrive(empty);
  if (thread() == 0) {
    mbarrier_wait(empty, 0);
    mbarrier_arrive_expect(full + 1, kTileBytes);
    load_tensor_bulk(tile, &p.tile_128, {0, 16}, full + 1);
  }
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_row);
  mbarrier_wait(full + 1, 0);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
