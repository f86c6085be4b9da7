// pass: four dimensions, with a hint how to cache them.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_tensor_4d_shape{.blocks = 1, .threads = 32, .shared_bytes = 1088};

ODDTILE_KERNEL(32, 1) bulk_tensor_4d(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + 1024, 1, 1);
  if (thread() == 0) {
    prefetch_tensor_map(&p.tile_4d);
    mbarrier_arrive_expect(full, 1024);
    const CachePolicy policy = cache_policy(CacheHint::evict_first);
    load_tensor_bulk(shared_memory(), &p.tile_4d, {0, 6, 1, 1}, full, policy);
  }
  mbarrier_wait(full, 0);
  bool right = true;
  for (int i = thread(); i < 8 * 64; i += threads()) {
    const int row = i / 64 % 4;  // of eight; the last two of a box lie outside
    const int deep = i / 64 / 4;
    const float expected = row < 2 ? tile_value(40 + 8 * (1 + deep) + 6 + row, i % 64) : 0.0f;
    const Bfloat16 got = *tile_element(shared_memory(), i / 64, i % 64, Swizzle::span_128);
    right = right && to_float(got) == expected;
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
