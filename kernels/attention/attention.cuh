// Attention forward: the entries that kernels/library puts into the table.
#pragma once

#include "kernels/api/kernels.h"
#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

int32_t attention_configurations(const oddtile_attention_problem& problem, int32_t* ids,
                                 int32_t capacity);
oddtile_status attention_describe(const oddtile_attention_problem& problem, int32_t id,
                                  oddtile_profile* profile);
int64_t attention_workspace_bytes(const oddtile_attention_problem& problem, int32_t id);
oddtile_status attention_launch(const oddtile_attention_problem* problem, int32_t id,
                                void* workspace, void* stream);

// The baseline: three kernels, scores and weights in global memory.
int32_t eager_attention_configurations(const oddtile_attention_problem& problem, int32_t* ids,
                                       int32_t capacity);
oddtile_status eager_attention_describe(const oddtile_attention_problem& problem, int32_t id,
                                        oddtile_profile* profile);
int64_t eager_attention_workspace_bytes(const oddtile_attention_problem& problem, int32_t id);
oddtile_status eager_attention_launch(const oddtile_attention_problem* problem, int32_t id,
                                      void* workspace, void* stream);

}  // namespace oddtile::ODDTILE_MACHINE
