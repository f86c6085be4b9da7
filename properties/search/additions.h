// All 2^32 pairs of fp16 numbers through a vector addition, compared bit for bit (NaN by class).
#pragma once

#include "properties/search/worlds.h"

namespace oddtile::properties {

// One rounding of the exact sum; any NaN for a NaN. The reference, by the host's fp32 addition: for
// two 11-bit significands the second rounding, to fp16, is innocuous (24 >= 2 * 11 + 2).
uint16_t fp16_sum(uint16_t x, uint16_t y);

// Runs x = [first, last) with every y, a few x at a time, on the preferred configuration of
// `which`. 65536 x are all pairs.
Coverage cover_additions(const oddtile_implementation& which, Machine& machine, int64_t first,
                         int64_t last, const WorldOptions& options);

}  // namespace oddtile::properties
