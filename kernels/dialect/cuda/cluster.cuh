// Clusters on the GPU (sm_90a): blocks that run together and reach one another's shared memory.
#pragma once

#include "kernels/dialect/cuda/hopper.cuh"

namespace oddtile::cuda {

// ---- position ----
ODDTILE_DEVICE int32_t cluster_rank() {
  uint32_t rank = 0;
  ODDTILE_SM90_ASM("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return int32_t(rank);
}
ODDTILE_DEVICE int32_t cluster_size() {
  uint32_t size = 1;
  ODDTILE_SM90_ASM("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return int32_t(size);
}

// ---- the barrier of all warps of all its blocks: what came before an arrival is seen after the
// wait. A block may not exit while another one may touch its shared memory. ----
ODDTILE_DEVICE void cluster_arrive() {
  ODDTILE_SM90_ASM("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
// The same without making anything seen, and without its fence: a first arrival, which only tells
// that the block has started and, after fence_mbarrier_init, has its barriers.
ODDTILE_DEVICE void cluster_arrive_relaxed() {
  ODDTILE_SM90_ASM("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
ODDTILE_DEVICE void cluster_wait() {
  ODDTILE_SM90_ASM("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- distributed shared memory ----
// What the block of this rank has where `own` lies in this block's shared memory. That block must
// be known to have started: by a cluster barrier before the first access.
ODDTILE_DEVICE ClusterAddress map_shared_rank(const void* own, int32_t rank) {
  ClusterAddress there{};
  ODDTILE_SM90_ASM("mapa.shared::cluster.u32 %0, %1, %2;"
                   : "=r"(there.bits)
                   : "r"(shared_address(own)), "r"(rank));
  return there;
}

// Value number `index` of type Value (1, 2, 4, 8 or 16 bytes), counted from `base`.
template <class Value>
ODDTILE_DEVICE Value load_as(ClusterAddress base, int64_t index) {
  [[maybe_unused]] const uint32_t at = base.bits + uint32_t(index) * uint32_t(sizeof(Value));
  typename Chunk<sizeof(Value)>::Type bits{};
  if constexpr (sizeof(Value) == 16) {
    ODDTILE_SM90_ASM("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                     : "r"(at)
                     : "memory");
  } else if constexpr (sizeof(Value) == 8) {
    ODDTILE_SM90_ASM("ld.shared::cluster.v2.u32 {%0,%1}, [%2];"
                     : "=r"(bits.x), "=r"(bits.y)
                     : "r"(at)
                     : "memory");
  } else if constexpr (sizeof(Value) == 4) {
    ODDTILE_SM90_ASM("ld.shared::cluster.u32 %0, [%1];" : "=r"(bits) : "r"(at) : "memory");
  } else {
    uint32_t wide = 0;
    if constexpr (sizeof(Value) == 2) {
      ODDTILE_SM90_ASM("{ .reg .u16 h; ld.shared::cluster.u16 h, [%1]; cvt.u32.u16 %0, h; }"
                       : "=r"(wide)
                       : "r"(at)
                       : "memory");
    } else {
      ODDTILE_SM90_ASM("ld.shared::cluster.u8 %0, [%1];" : "=r"(wide) : "r"(at) : "memory");
    }
    bits = typename Chunk<sizeof(Value)>::Type(wide);
  }
  return *reinterpret_cast<const Value*>(&bits);
}

template <class Value>
ODDTILE_DEVICE void store_as(ClusterAddress base, int64_t index, const Value& value) {
  [[maybe_unused]] const uint32_t at = base.bits + uint32_t(index) * uint32_t(sizeof(Value));
  [[maybe_unused]] const auto bits =
      *reinterpret_cast<const typename Chunk<sizeof(Value)>::Type*>(&value);
  if constexpr (sizeof(Value) == 16) {
    ODDTILE_SM90_ASM("st.shared::cluster.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(bits.x),
                     "r"(bits.y), "r"(bits.z), "r"(bits.w)
                     : "memory");
  } else if constexpr (sizeof(Value) == 8) {
    ODDTILE_SM90_ASM("st.shared::cluster.v2.u32 [%0], {%1,%2};" ::"r"(at), "r"(bits.x), "r"(bits.y)
                     : "memory");
  } else if constexpr (sizeof(Value) == 4) {
    ODDTILE_SM90_ASM("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(bits) : "memory");
  } else if constexpr (sizeof(Value) == 2) {
    ODDTILE_SM90_ASM("st.shared::cluster.u16 [%0], %1;" ::"r"(at), "h"(bits) : "memory");
  } else {
    ODDTILE_SM90_ASM("st.shared::cluster.u8 [%0], %1;" ::"r"(at), "r"(uint32_t(bits)) : "memory");
  }
}

// A store of 4, 8 or 16 bytes that need not be waited for here: `barrier`, in the same block as the
// place, receives its bytes when it is there. No fence, unlike a store and an arrival.
#define ODDTILE_STORE_ASYNC(form, values, barrier_operand, ...)                      \
  ODDTILE_SM90_ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" form \
                   ".b32 [%0], " values ", [" barrier_operand "];" ::"r"(to.bits),   \
                   __VA_ARGS__, "r"(barrier.bits)                                    \
                   : "memory")
template <class Value>
ODDTILE_DEVICE void store_async(ClusterAddress to, const Value& value, ClusterAddress barrier) {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16);
  [[maybe_unused]] const auto bits =
      *reinterpret_cast<const typename Chunk<sizeof(Value)>::Type*>(&value);
  if constexpr (sizeof(Value) == 16) {
    ODDTILE_STORE_ASYNC(".v4", "{%1,%2,%3,%4}", "%5", "r"(bits.x), "r"(bits.y), "r"(bits.z),
                        "r"(bits.w));
  } else if constexpr (sizeof(Value) == 8) {
    ODDTILE_STORE_ASYNC(".v2", "{%1,%2}", "%3", "r"(bits.x), "r"(bits.y));
  } else {
    ODDTILE_STORE_ASYNC("", "%1", "%2", "r"(bits));
  }
}
#undef ODDTILE_STORE_ASYNC

// ---- barriers in another block ----
// With the default scope, the block's: a cluster-wide release costs a fence and a quarter of
// attention's speed. Enough where copies, which are in the other proxy anyway, write next.
ODDTILE_DEVICE void mbarrier_arrive(ClusterAddress barrier) {
  ODDTILE_SM90_ASM("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier.bits) : "memory");
}
// Releases this lane's stores to whoever waits there with mbarrier_wait_cluster.
ODDTILE_DEVICE void mbarrier_arrive_cluster(ClusterAddress barrier) {
  ODDTILE_SM90_ASM(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier.bits)
      : "memory");
}
// On a barrier of this block at which lanes of other blocks arrive.
ODDTILE_DEVICE void mbarrier_wait_cluster(Mbarrier* barrier, uint32_t parity) {
  ODDTILE_SM90_ASM(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], "
      "%1; @p bra done; bra again; done: }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace oddtile::cuda
