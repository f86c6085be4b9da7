// fail shared_race: Q's slot is released before the bulk store has read O from it.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_q_released_early_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_q_released_early(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::q_released_early>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
