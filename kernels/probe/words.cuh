// The probes that are dialect words on both machines.
#pragma once

#include "kernels/dialect/dialect.cuh"
#include "kernels/probe/probe.h"

namespace oddtile::ODDTILE_MACHINE {

bool probe_word(ProbeFunction function, const uint32_t* arguments, uint32_t* results, int64_t count,
                void* stream);
bool probe_mma(bool bfloat16, const ProbeFragments& fragments, void* stream);

}  // namespace oddtile::ODDTILE_MACHINE
