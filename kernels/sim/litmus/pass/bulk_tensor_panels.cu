// pass: columns by panels, the fifth dimension; a panel that the matrix does not have is zero.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_tensor_panels_shape{.blocks = 1, .threads = 32, .shared_bytes = 2112};

ODDTILE_KERNEL(32, 1) bulk_tensor_panels(ODDTILE_GRID_CONSTANT Litmus p) {
  constexpr int kPanelBytes = 8 * 64 * 2;
  Mbarrier* full = ready_barriers(shared_memory() + 2 * kPanelBytes, 1, 1);
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 2 * kPanelBytes);  // both, whatever is there
    load_tensor_bulk(shared_memory(), &p.tile_panels, {0, 76, 0, 0, 0}, full);
  }
  mbarrier_wait(full, 0);
  bool right = true;
  for (int i = thread(); i < 2 * 8 * 64; i += threads()) {
    const int panel = i / (8 * 64), row = i / 64 % 8, column = i % 64;
    const float expected = panel == 0 ? tile_value_or_0(76 + row, column) : 0.0f;
    std::byte* const at = shared_memory() + panel * kPanelBytes;
    right = right && to_float(*tile_element(at, row, column, Swizzle::span_128)) == expected;
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
