// fail out_of_bounds: a row that a batch loads lies behind shared memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape batch_row_outside_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) batch_row_outside(Litmus p) {
  uint32_t* row = reinterpret_cast<uint32_t*>(shared_memory()) + 4 * lane();
  for (int i = 0; i < 4; ++i) row[i] = 0u;
  sync_warp();
  uint32_t got[4];
  matrix_batch([&] { load_matrix_4(got, lane() == 5 ? row + 128 : row); });
  store(p.out, thread(), got[0] == 0u ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
