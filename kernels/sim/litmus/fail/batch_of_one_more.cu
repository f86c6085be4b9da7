// fail collective_divergence: half the warp has a word more in its batch.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape batch_of_one_more_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) batch_of_one_more(Litmus p) {
  uint32_t* row = reinterpret_cast<uint32_t*>(shared_memory()) + 4 * lane();
  for (int i = 0; i < 4; ++i) row[i] = 0u;
  sync_warp();
  uint32_t got[4];
  matrix_batch([&] {
    load_matrix_4(got, row);
    if (lane() < 16) load_matrix_4(got, row);
  });
  store(p.out, thread(), got[0] == 0u ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
