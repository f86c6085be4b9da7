// fail shared_race: K's slot is released while the products read it.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_k_released_early_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_k_released_early(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::k_released_early>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
