// How the rows of a softmax problem lie, for its plan and the choice among plans.
#pragma once

#include "kernels/softmax/parameters.h"

namespace oddtile {

// The address of row 0 and the distance of two rows in bytes, modulo any power of two up to 4096.
struct SoftmaxRowAddresses {
  int64_t first;
  int64_t step;
  bool are_multiples_of(int64_t bytes) const { return first % bytes == 0 && step % bytes == 0; }
};

SoftmaxRowAddresses softmax_row_addresses(const oddtile_softmax_problem& p, const void* data,
                                          int64_t stride);

// Vectors that a row spans, wherever in its frame it starts.
int64_t softmax_row_vectors(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it);

// Threads of a block that holds a row of so many vectors.
inline constexpr int32_t kSoftmaxMostThreads = 1024;
int64_t softmax_block_threads(int64_t vectors, int32_t of_a_lane);

// Of a form that takes tiles.
SoftmaxPlan softmax_tile_plan(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it);

}  // namespace oddtile
