// pass: groups without copies count, too.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_groups_of_nothing_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_groups_of_nothing(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  commit_copies();
  commit_copies();
  wait_copies<2>();
  store(p.out, thread(), values[4 * lane() + 3] == float(4 * lane() + 3) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
