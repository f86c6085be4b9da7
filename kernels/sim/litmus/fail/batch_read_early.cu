// fail result: what a batch loads is looked at before the batch ends.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape batch_read_early_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) batch_read_early(Litmus p) {
  uint32_t* row = reinterpret_cast<uint32_t*>(shared_memory()) + 4 * lane();
  for (int i = 0; i < 4; ++i) row[i] = 7u;
  sync_warp();
  uint32_t got[4] = {0u, 0u, 0u, 0u};
  bool right = false;
  matrix_batch([&] {
    load_matrix_4(got, row);
    right = got[0] == 7u;
  });
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
