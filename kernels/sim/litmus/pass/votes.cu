// pass: any and all see the whole warp and nothing of the other one.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape votes_shape{.blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) votes(Litmus p) {
  const bool any_second = vote_any(thread() == 40);
  const bool all_first = vote_all(thread() < 32);
  const bool never = vote_any(false);
  const bool second = warp() == 1;
  const bool right = any_second == second && all_first == !second && !never && vote_all(true);
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
