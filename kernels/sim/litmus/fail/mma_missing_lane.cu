// fail collective_divergence: the matrix unit needs the whole warp.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape mma_missing_lane_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) mma_missing_lane(Litmus p) {
  float sum[4] = {};
  const uint32_t a[4] = {};
  if (lane() != 31) mma_16x8x16<Half>(sum, a, 0, 0);
  store(p.out, thread(), sum[0] == 0.0f ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
