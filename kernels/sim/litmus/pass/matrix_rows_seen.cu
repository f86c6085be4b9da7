// pass: rows that lanes wrote are matrices after a warp barrier.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_rows_seen_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) matrix_rows_seen(Litmus p) {
  uint32_t* rows = reinterpret_cast<uint32_t*>(shared_memory()) + 128 * warp();
  for (int i = 0; i < 4; ++i) rows[4 * lane() + i] = uint32_t(4 * lane() + i);
  sync_warp();
  uint32_t got[4];
  load_matrix_4(got, rows + 4 * lane());
  bool right = true;
  for (int matrix = 0; matrix < 4; ++matrix) {
    right = right && got[matrix] == uint32_t(32 * matrix + lane());
  }
  sync_warp();
  rows[4 * lane()] = 0u;
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
