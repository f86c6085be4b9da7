// pass: panels of 16 columns in a swizzle of 32 bytes, both majors.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_swizzle_32_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 16384};

ODDTILE_KERNEL(128, 1) wgmma_swizzle_32(ODDTILE_GRID_CONSTANT Litmus p) {
  const bool right = panels_multiply<Swizzle::span_32>(&p.tile_32);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
