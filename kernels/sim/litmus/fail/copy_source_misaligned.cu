// fail misaligned: a copy of 16 bytes from an address that is no multiple of 16.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_source_misaligned_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_source_misaligned(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * lane(), p.in + (4 * lane() + 1), 16);
  commit_copies();
  wait_copies<0>();
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
