// Right kernels that nobody wrote: softmax and attention of oracles/bounds/emulated_kernels.h as a
// table for the machine `sim`, whose memory is the host's. Each configuration is one combination of
// the liberties that a correct kernel may take (tiles, order, lanes, truncating or plain
// accumulation, both forms of the exponential and its whole error in either direction, lazy
// rescale, flush, ...), and declares exactly that.
#pragma once

#include "kernels/api/kernels.h"
#include "oracles/bounds/emulation.h"

namespace oddtile::properties {

inline constexpr int32_t kEmulatedVariants = 64;

// The combination of a configuration, the same in every process. Ids: 0..kEmulatedVariants - 1.
oracles::emulation::Variant emulated_variant(int32_t id, oddtile_dtype dtype);

// Name "emulated". Offers softmax and attention; not vector add, which has no liberties.
const oddtile_implementation& emulated();

}  // namespace oddtile::properties
