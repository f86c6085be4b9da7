// pass: transposed, lane 4c+t holds elements (2t, c) and (2t+1, c).
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_load_transposed_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) matrix_load_transposed(Litmus p) {
  uint16_t* rows = reinterpret_cast<uint16_t*>(shared_memory());  // 32 rows of 8
  for (int i = 0; i < 8; ++i) rows[8 * lane() + i] = uint16_t(8 * lane() + i);
  sync_warp();
  uint32_t got[4];
  load_matrix_4_transposed(got, rows + 8 * lane());
  bool right = true;
  for (uint32_t matrix = 0; matrix < 4; ++matrix) {
    const uint32_t upper = 64 * matrix + 16 * uint32_t(lane() % 4) + uint32_t(lane() / 4);
    right = right && got[matrix] == (upper | (upper + 8) << 16);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
