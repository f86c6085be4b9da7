// fail out_of_bounds: the last row of the matrices lies behind shared memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape matrix_row_outside_shape{.blocks = 1, .threads = 32, .shared_bytes = 496};

ODDTILE_KERNEL(32, 1) matrix_row_outside(Litmus p) {
  uint32_t got[4];
  load_matrix_4_transposed(got, shared_memory() + 16 * lane());
  store(p.out, thread(), got[0] != 0u ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
