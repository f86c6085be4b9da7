// fail uninitialised_shared_read, result: what nobody wrote is NaN, not zero.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shared_unwritten_shape{.blocks = 1, .threads = 32, .shared_bytes = 128};

ODDTILE_KERNEL(32, 1) shared_unwritten(Litmus p) {
  const float* values = reinterpret_cast<const float*>(shared_memory());
  store(p.out, thread(), 1.0f + values[lane()]);
}

}  // namespace oddtile::ODDTILE_MACHINE
