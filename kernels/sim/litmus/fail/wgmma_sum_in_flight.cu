// fail result: a sum is read before the wait.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_sum_in_flight_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_sum_in_flight(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();
  Mbarrier* full = ready_barriers(tile + kTileBytes, 1, 1);
  load_tile(tile, &p.tile_128, 0, 0, full);
  float sum[32];
  clear(sum);
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  wgmma_fence();
  wgmma<Bfloat16>(sum, rows, rows, false);
  wgmma_commit();
  const bool zero = sum[0] - sum[0] == 0.0f;
  wgmma_wait<0>();
  wgmma_ready(sum);
  store(p.out, thread(), zero ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
