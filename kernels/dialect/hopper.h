// Types of sm_90's words that are the same on both machines.
#pragma once

#include <cstdint>

#include "kernels/base/matrix_descriptor.h"
#include "kernels/base/tensor_map.h"

namespace oddtile {

// A barrier object in shared memory; only the mbarrier words look inside. Its phases alternate in
// parity, the first being 0; waiting for parity 1 on a fresh one passes at once.
struct alignas(8) Mbarrier {
  uint64_t bits;
};

// What shared memory of a block of the cluster is called by the others; from map_shared_rank.
struct ClusterAddress {
  uint32_t bits;
  constexpr ClusterAddress operator+(uint32_t bytes) const { return {bits + bytes}; }
};

// How long bulk copies keep their lines in L2. A policy is made on the device, by cache_policy.
enum class CacheHint : uint8_t { evict_normal, evict_first, evict_last };
struct CachePolicy {
  uint64_t bits;
};

}  // namespace oddtile
