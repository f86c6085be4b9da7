// fail shared_race: another warp overwrites a matrix before it is read.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_row_overwritten_shape{.blocks = 1, .threads = 64, .shared_bytes = 512};

ODDTILE_KERNEL(64, 1) matrix_row_overwritten(Litmus p) {
  uint32_t* row = reinterpret_cast<uint32_t*>(shared_memory()) + 4 * lane();
  if (warp() == 0) {
    for (int i = 0; i < 4; ++i) row[i] = uint32_t(lane());
  }
  sync_block();
  uint32_t got[4] = {};
  if (warp() == 0) load_matrix_4_transposed(got, row);
  if (warp() == 1) row[0] = 77u;
  store(p.out, thread(), warp() == 1 || got[0] < 32u ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
