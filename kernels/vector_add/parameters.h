// Host side of vector add that is the same on every machine.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// One configuration: the index in kVectorAddConfigurations is its id.
struct VectorAddConfiguration {
  const char* name;
  int32_t threads;
  int32_t chunks;  // of 512 elements, of a warp, with a mask; at most 4
};

inline constexpr VectorAddConfiguration kVectorAddConfigurations[] = {
    {"512 threads", 512, 4},
    {"32 threads", 32, 1},    // for fuzzing: many blocks, many edges
    {"128 threads", 128, 1},  // for short vectors: enough blocks for every multiprocessor
    {"128 threads, 4 chunks", 128, 4},
    {"256 threads, 4 chunks", 256, 4},
    {"128 threads, 2 chunks", 128, 2},
    {"32 threads, 3 chunks", 32, 3},  // for fuzzing
};
inline constexpr int32_t kVectorAddCount = 7;

// The configuration to prefer; README.md has the measurements.
constexpr int32_t preferred_vector_add(const oddtile_vector_add_problem& problem) {
  return problem.n < int64_t(1) << 22 ? 2 : 3;
}

inline constexpr VectorAddConfiguration kEagerVectorAdd = {"one element per thread", 256, 0};

// The argument checks of the contract, in the order of oddtile_status.
oddtile_status check_vector_add(const oddtile_vector_add_problem& problem);

}  // namespace oddtile
