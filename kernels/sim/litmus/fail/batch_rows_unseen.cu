// fail shared_race: each lane wrote its row; the warp that reads them in a batch did not wait.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape batch_rows_unseen_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) batch_rows_unseen(Litmus p) {
  uint32_t* row = reinterpret_cast<uint32_t*>(shared_memory()) + 4 * lane();
  for (int i = 0; i < 4; ++i) row[i] = uint32_t(lane());
  uint32_t got[4];
  matrix_batch([&] { load_matrix_4(got, row); });  // a warp barrier is missing above
  store(p.out, thread(), got[0] == uint32_t(lane() / 4) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
