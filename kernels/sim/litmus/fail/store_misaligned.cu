// fail misaligned: a store of 8 bytes to an address that is no multiple of 8.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape store_misaligned_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) store_misaligned(Litmus p) {
  store_as(p.out + (512 + 1), lane(), Vector<float, 2>{});
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
