// pass: panels of 32 columns in a swizzle of 64 bytes, both majors.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_swizzle_64_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_swizzle_64(ODDTILE_GRID_CONSTANT Litmus p) {
  const bool right = panels_multiply<Swizzle::span_64>(&p.tile_64);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
