// The tables of functions built for each machine: fused (our kernels) and eager (the baselines).
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile::sim {
const oddtile_implementation& fused();
const oddtile_implementation& eager();
}  // namespace oddtile::sim

namespace oddtile::cuda {
const oddtile_implementation& fused();
const oddtile_implementation& eager();
}  // namespace oddtile::cuda
