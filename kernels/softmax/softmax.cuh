// Row softmax: the entries that kernels/library puts into the table.
#pragma once

#include "kernels/api/kernels.h"
#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

int32_t softmax_configurations(const oddtile_softmax_problem& problem, int32_t* ids,
                               int32_t capacity);
oddtile_status softmax_describe(const oddtile_softmax_problem& problem, int32_t id,
                                oddtile_profile* profile);
int64_t softmax_workspace_bytes(const oddtile_softmax_problem& problem, int32_t id);
oddtile_status softmax_launch(const oddtile_softmax_problem* problem, int32_t id, void* workspace,
                              void* stream);

// The baseline: five passes over global memory.
int32_t eager_softmax_configurations(const oddtile_softmax_problem& problem, int32_t* ids,
                                     int32_t capacity);
oddtile_status eager_softmax_describe(const oddtile_softmax_problem& problem, int32_t id,
                                      oddtile_profile* profile);
int64_t eager_softmax_workspace_bytes(const oddtile_softmax_problem& problem, int32_t id);
oddtile_status eager_softmax_launch(const oddtile_softmax_problem* problem, int32_t id,
                                    void* workspace, void* stream);

}  // namespace oddtile::ODDTILE_MACHINE
