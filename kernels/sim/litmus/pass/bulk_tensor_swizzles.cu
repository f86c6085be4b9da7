// pass: boxes of 32 and 16 columns in swizzles of 64 and 32 bytes, and none.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_tensor_swizzles_shape{.blocks = 1, .threads = 64, .shared_bytes = 17408};

ODDTILE_KERNEL(64, 1) bulk_tensor_swizzles(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* narrow = shared_memory() + 4096;
  std::byte* plain = shared_memory() + 8192;
  Mbarrier* full = ready_barriers(shared_memory() + 2 * kTileBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 4096 + 2048 + kTileBytes);
    load_tensor_bulk(shared_memory(), &p.tile_64, {32, 8}, full);
    load_tensor_bulk(narrow, &p.tile_32, {48, 3}, full);
    load_tensor_bulk(plain, &p.tile_plain, {0, 16}, full);
  }
  mbarrier_wait(full, 0);
  bool right = tile_is(shared_memory(), 8, 32, 64, 32, Swizzle::span_64);
  right = right && tile_is(narrow, 3, 48, 64, 16, Swizzle::span_32);
  const Bfloat16* element = reinterpret_cast<const Bfloat16*>(plain);
  for (int i = thread(); i < 64 * 64; i += threads()) {
    right = right && to_float(element[i]) == tile_value(16 + i / 64, i % 64);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
