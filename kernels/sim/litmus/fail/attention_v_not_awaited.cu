// fail shared_race: in the loop V is multiplied without waiting for it.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_v_not_awaited_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_v_not_awaited(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::v_not_awaited>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
