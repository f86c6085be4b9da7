// pass: one warp after the other, a barrier between them.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape warps_take_turns_shape{.blocks = 1, .threads = 96, .shared_bytes = 4};

ODDTILE_KERNEL(96, 1) warps_take_turns(Litmus p) {
  int32_t* turn = reinterpret_cast<int32_t*>(shared_memory());
  if (thread() == 0) *turn = 0;
  sync_block();
  for (int round = 0; round < 3; ++round) {
    if (warp() == round && lane() == 0) *turn += 10 + round;
    sync_block();
  }
  store(p.out, thread(), *turn == 33 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
