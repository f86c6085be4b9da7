// From what a soundness search keeps to what a record says of it.
#pragma once

#include "properties/search/state.h"
#include "reports/record/record.h"

namespace oddtile::reports {

// `wanted`: outputs that were asked for of each kernel in each type; `complete`: whether it and its
// climbs came to their end. Kernels that the search never touched are left out.
SoundnessEntry soundness_entry(const properties::SearchState& state, int64_t wanted, bool complete);

}  // namespace oddtile::reports
