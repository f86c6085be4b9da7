// fail misaligned: rows of 8 bytes pitch are no rows for the matrix unit.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_row_misaligned_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) matrix_row_misaligned(Litmus p) {
  uint32_t got[4];
  load_matrix_4(got, shared_memory() + 8 * lane());
  store(p.out, thread(), got[0] == got[1] ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
