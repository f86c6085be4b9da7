// fail misaligned: eight bytes in bulk.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_run_misaligned_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) bulk_run_misaligned(ODDTILE_GRID_CONSTANT Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  if (thread() == 0) load_bulk(shared_memory(), p.in, 8, full);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
