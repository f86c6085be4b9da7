// Host side of vector add that is the same on every machine.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// One configuration: the index in kVectorAddConfigurations is its id.
struct VectorAddConfiguration {
  const char* name;
  int32_t threads;
  int32_t spans;  // of 1024 elements, of a warp, with a mask: 1 or 2
};

inline constexpr VectorAddConfiguration kVectorAddConfigurations[] = {
    {"512 threads", 512, 1},          {"32 threads", 32, 1},    // for fuzzing
    {"128 threads", 128, 1},                                    // for some short vectors
    {"128 threads, 2 spans", 128, 2}, {"256 threads", 256, 1},  // for all others
    {"32 threads, 2 spans", 32, 2},                             // for fuzzing
    {"1024 threads", 1024, 1},                                  // for very long vectors
};
inline constexpr int32_t kVectorAddCount = 7;

// The configuration to prefer; README.md has the measurements.
constexpr int32_t preferred_vector_add(const oddtile_vector_add_problem& problem) {
  const bool is_masked = problem.mask != nullptr;
  if (problem.n >= int64_t(1) << 26 && !is_masked) return 6;
  if (problem.n >= int64_t(1) << 19) return 4;
  if (problem.dtype == oddtile_fp32 || is_masked) return problem.n > 160000 && !is_masked ? 4 : 2;
  // 16 bits: from 320,000 elements on, and, if they are whole vectors, below 160,000.
  return problem.n > 320000 || (problem.n < 160000 && problem.n % 8 == 0) ? 4 : 2;
}

inline constexpr VectorAddConfiguration kEagerVectorAdd = {"one element per thread", 256, 0};

// The argument checks of the contract, in the order of oddtile_status.
oddtile_status check_vector_add(const oddtile_vector_add_problem& problem);

}  // namespace oddtile
