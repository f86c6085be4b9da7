// pass: a warp goes on until its last lane is done.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape votes_in_a_loop_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) votes_in_a_loop(Litmus p) {
  int rounds = 0;
  while (vote_any(rounds < lane())) ++rounds;
  store(p.out, thread(), rounds == 31 && vote_all(rounds == 31) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
