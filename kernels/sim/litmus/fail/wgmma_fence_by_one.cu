// fail proxy_race: one lane's fence does not speak for the others' stores before the barrier.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_fence_by_one_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_fence_by_one(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_tile(shared_memory());
  if (thread() == 0) fence_async_proxy_shared();
  sync_block();
  const MatrixDescriptor rows = matrix_descriptor(shared_memory(), 16, 1024, Swizzle::span_128);
  float sum[32];
  clear(sum);
  wgmma_fence();
  for (int k = 0; k < 4; ++k) wgmma<Bfloat16>(sum, rows + 32 * k, rows + 32 * k, k != 0);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  const bool right = sums_are(sum, row_times_row);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
