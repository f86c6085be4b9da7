// pass: one lane of each warp is chosen, and again the same.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape elect_one_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) elect_one(ODDTILE_GRID_CONSTANT Litmus p) {
  const bool first = elect_one();
  const bool second = elect_one();
  float chosen = first && second ? 1.0f : 0.0f;
  for (int mask = 16; mask > 0; mask /= 2) chosen = chosen + shuffle_xor(chosen, mask);
  store(p.out, thread(), first == second ? chosen : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
