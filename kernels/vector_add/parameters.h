// Host side of vector add that is the same on every machine.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// One configuration: the index in kVectorAddConfigurations is its id.
struct VectorAddConfiguration {
  const char* name;
  int32_t threads;
};

inline constexpr VectorAddConfiguration kVectorAddConfigurations[] = {
    {"512 threads", 512},
    {"32 threads", 32},    // for fuzzing: many blocks, many edges
    {"128 threads", 128},  // for short vectors: enough blocks for every multiprocessor
};
inline constexpr int32_t kVectorAddCount = 3;

// The configuration for this many elements; README.md has the measurements.
constexpr int32_t preferred_vector_add(int64_t n) {
  return n < int64_t(1) << 22 ? 2 : 0;
}

inline constexpr VectorAddConfiguration kEagerVectorAdd = {"one element per thread", 256};

// The argument checks of the contract, in the order of oddtile_status.
oddtile_status check_vector_add(const oddtile_vector_add_problem& problem);

}  // namespace oddtile
