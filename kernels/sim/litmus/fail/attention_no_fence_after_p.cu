// fail proxy_race: P is written to shared memory and multiplied without a proxy fence.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_no_fence_after_p_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_no_fence_after_p(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::no_fence_after_p>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
