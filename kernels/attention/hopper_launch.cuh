// Host side of hopper.cuh: which of its shapes can take a problem, and their launch. The entries of
// attention.cu ask here; a shape is named by its index in kHopperShapes.
#pragma once

#include "kernels/api/kernels.h"
#include "kernels/attention/hopper_shape.h"
#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Whether this machine has the words and the kernels were compiled to them.
bool hopper_runs();
// Whether some query may see fewer keys than its item has.
bool is_banded(const oddtile_attention_problem& problem);
// Whether it runs here, tensor maps can describe the problem, and its head size fits
// into the shape. The problem must be valid (check_attention).
bool hopper_takes(const oddtile_attention_problem& problem, int shape);
// The shape that is fastest where it can be taken at all; README.md has the measurements.
int hopper_preferred(const oddtile_attention_problem& problem);

inline constexpr int64_t kHopperWorkspaceBytes = sizeof(int32_t);  // the ticket counter

template <class T>
oddtile_status launch_hopper(const oddtile_attention_problem& problem, int shape, void* workspace,
                             void* stream);

}  // namespace oddtile::ODDTILE_MACHINE
