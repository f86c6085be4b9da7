// pass: the first group is awaited and used while the second one runs.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_two_groups_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_two_groups(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float first[32];
  float second[4];
  clear(first);
  clear(second);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(first, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(second, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  wgmma_wait<1>();
  wgmma_ready(first);
  bool right = sums_are(first, row_times_row);
  wgmma_wait<0>();
  wgmma_ready(second);
  right = sums_are(second, row_times_row) && right;
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
