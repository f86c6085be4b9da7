// pass: lane 4r+t of a loaded matrix holds elements 2t and 2t+1 of row r.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_load_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) matrix_load(Litmus p) {
  uint16_t* rows = reinterpret_cast<uint16_t*>(shared_memory());  // 32 rows of 8
  for (int i = 0; i < 8; ++i) rows[8 * lane() + i] = uint16_t(8 * lane() + i);
  sync_warp();
  uint32_t got[4];
  load_matrix_4(got, rows + 8 * lane());
  bool right = true;
  for (uint32_t matrix = 0; matrix < 4; ++matrix) {
    const uint32_t first = 64 * matrix + 2 * uint32_t(lane());
    right = right && got[matrix] == (first | (first + 1) << 16);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
