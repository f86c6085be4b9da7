// pass: each block has its own place and its own shared memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape blocks_in_any_order_shape{.blocks = 7, .threads = 32, .shared_bytes = 128};

ODDTILE_KERNEL(32, 1) blocks_in_any_order(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[lane()] = float(block());
  const bool own = values[lane()] == float(block());
  const bool right = own && blocks() == 7 && threads() == 32 &&
                     shared_address(values + 3) - shared_address(values) == 12;
  store(p.out, 32 * block() + thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
