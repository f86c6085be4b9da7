// pass: blocks own neighbouring elements of one cache line.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape blocks_write_neighbours_shape{.blocks = 8, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) blocks_write_neighbours(Litmus p) {
  if (lane() == 0) store(p.out, 512 + block(), float(block()));
  store(p.out, 32 * block() + lane(), load(p.in, block()) == float(block()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
