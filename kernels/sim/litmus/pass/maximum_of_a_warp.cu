// pass: every lane gets the largest of the warp's 32 numbers, whichever lane has it.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape maximum_of_a_warp_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) maximum_of_a_warp(Litmus p) {
  bool right = true;
  for (int32_t top = 0; top < 32; ++top) {
    const int32_t mine = lane() == top ? -7 - warp() : INT32_MIN + lane();
    right = right && maximum_over_warp(mine) == -7 - warp();
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
