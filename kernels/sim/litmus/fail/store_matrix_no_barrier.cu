// fail shared_race: rows are read that another lane has stored.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape store_matrix_no_barrier_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) store_matrix_no_barrier(ODDTILE_GRID_CONSTANT Litmus p) {
  std::byte* tile = shared_memory();  // 16 x 16, row major
  const int matrix = lane() / 8;
  std::byte* row = tile + (lane() % 8 + matrix % 2 * 8) * 32 + matrix / 2 * 16;
  uint32_t held[4];
  for (int i = 0; i < 4; ++i) {
    const int element = (lane() / 4 + i % 2 * 8) * 16 + lane() % 4 * 2 + i / 2 * 8;
    held[i] = pack<Bfloat16>(float(element), float(element + 1));
  }
  store_matrix_4(row, held);
  // no sync_warp()
  bool right = true;
  for (int i = 0; i < 8; ++i) {
    const int element = lane() * 8 + i;
    const int expected = element;
    const Bfloat16 got = reinterpret_cast<const Bfloat16*>(tile)[element];
    right = right && to_float(got) == float(expected);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
