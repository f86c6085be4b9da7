// Masked vector add: the entries that kernels/library puts into the table.
#pragma once

#include "kernels/api/kernels.h"
#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

int32_t vector_add_configurations(const oddtile_vector_add_problem& problem, int32_t* ids,
                                  int32_t capacity);
oddtile_status vector_add_describe(const oddtile_vector_add_problem& problem, int32_t id,
                                   oddtile_profile* profile);
int64_t vector_add_workspace_bytes(const oddtile_vector_add_problem& problem, int32_t id);
oddtile_status vector_add_launch(const oddtile_vector_add_problem* problem, int32_t id,
                                 void* workspace, void* stream);

// The baseline: one element per thread; with a mask a sum and a selection, as two passes.
int32_t eager_vector_add_configurations(const oddtile_vector_add_problem& problem, int32_t* ids,
                                        int32_t capacity);
oddtile_status eager_vector_add_describe(const oddtile_vector_add_problem& problem, int32_t id,
                                         oddtile_profile* profile);
int64_t eager_vector_add_workspace_bytes(const oddtile_vector_add_problem& problem, int32_t id);
oddtile_status eager_vector_add_launch(const oddtile_vector_add_problem* problem, int32_t id,
                                       void* workspace, void* stream);

}  // namespace oddtile::ODDTILE_MACHINE
