// pass: attention in small, of which six others are the broken twins.
#include "kernels/sim/litmus/attention.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape attention_in_small_shape = kAttentionShape;

ODDTILE_KERNEL(256, 1) attention_in_small(ODDTILE_GRID_CONSTANT Litmus p) {
  attention<Fault::none>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
