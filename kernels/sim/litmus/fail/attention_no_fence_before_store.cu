// fail proxy_race: O is stored in bulk without a proxy fence after the plain stores.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_no_fence_before_store_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_no_fence_before_store(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::no_fence_before_store>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
