// Host side of vector add that is the same on every machine.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// Bytes of out from which on a kernel with a mask asks for the sectors that it writes in part. The
// L2 gets less than that from memory in time by itself.
inline constexpr int64_t kLongOutput = int64_t(16) << 20;

// One configuration: the index in kVectorAddConfigurations is its id.
struct VectorAddConfiguration {
  const char* name;
  int32_t threads;
  int32_t spans;  // of 1024 elements, of a warp, with a mask: 1 or 2
  int64_t asks_from = kLongOutput;
};

inline constexpr VectorAddConfiguration kVectorAddConfigurations[] = {
    {"512 threads", 512, 1},
    {"32 threads", 32, 1},    // for fuzzing
    {"128 threads", 128, 1},  // for some short vectors, masks
    {"128 threads, 2 spans", 128, 2},
    {"256 threads", 256, 1},               // for all others
    {"32 threads, 2 spans", 32, 2, 0},     // for fuzzing
    {"1024 threads, backwards", 1024, 1},  // for very long vectors; with a mask not backwards
};
inline constexpr int32_t kVectorAddCount = 7;

// The configuration to prefer; README.md has the measurements.
constexpr int32_t preferred_vector_add(const oddtile_vector_add_problem& problem) {
  constexpr int32_t k128 = 2, k256 = 4, k1024 = 6;  // threads
  constexpr int64_t kVeryLong = int64_t(1) << 26;
  constexpr int64_t kLong = int64_t(1) << 19;
  constexpr int64_t kShort32 = 160000;
  constexpr int64_t kShort16 = 320000;
  if (problem.mask != nullptr) return k128;
  if (problem.n >= kVeryLong) return k1024;
  if (problem.n >= kLong) return k256;
  if (problem.dtype == oddtile_fp32) return problem.n > kShort32 ? k256 : k128;
  // 16-bit vectors that are whole 16 bytes like 256 threads below half of that, too.
  return problem.n > kShort16 || (problem.n < kShort16 / 2 && problem.n % 8 == 0) ? k256 : k128;
}

inline constexpr VectorAddConfiguration kEagerVectorAdd = {"one element per thread", 256, 0};

// The argument checks of the contract, in the order of oddtile_status.
oddtile_status check_vector_add(const oddtile_vector_add_problem& problem);

}  // namespace oddtile
