// The tensors of a case before they have bytes: sizes, strides, offsets, capacities.
#pragma once

#include <vector>

#include "oracles/case/workload.h"

namespace oddtile::oracles {

// Poisoned room after the last element of every tensor: more than any vector load or tile row of a
// kernel that runs past the end by one step would cover.
inline constexpr int64_t kSlackBytes = 320;

// Extra elements of a padded mask row; odd, so that rows start at every alignment.
inline constexpr int64_t kMaskPad = 7;

Element element_of(oddtile_dtype dtype);

std::vector<Tensor> lay_out(const Case& subject);

// The problem at addresses that are made up, aligned as a machine's are: to ask an implementation
// about, never to launch.
oddtile_problem bind_nowhere(const Case& subject);

}  // namespace oddtile::oracles
