// Bulk copies and tensor maps on the GPU (sm_90a). A copy is issued by one lane.
#pragma once

#include <cuda.h>

#include "kernels/dialect/cuda/hopper.cuh"

namespace oddtile::cuda {

// Keeps lines of a copy in L2 by this rule, for all of the copy.
ODDTILE_DEVICE CachePolicy cache_policy(CacheHint hint) {
  CachePolicy policy{};
  if (hint == CacheHint::evict_first) {
    ODDTILE_SM90_ASM("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy.bits));
  } else if (hint == CacheHint::evict_last) {
    ODDTILE_SM90_ASM("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy.bits));
  } else {
    ODDTILE_SM90_ASM("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy.bits));
  }
  return policy;
}

ODDTILE_DEVICE void prefetch_tensor_map(const TensorMap* map) {
  ODDTILE_SM90_ASM("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// The forms differ in the list of coordinates and in what follows it: operand numbers are written
// so that %0 and %1 are shared addresses, %2 the map, %3 ... the coordinates.
#define ODDTILE_AT_1 "{%3}"
#define ODDTILE_AT_2 "{%3,%4}"
#define ODDTILE_AT_3 "{%3,%4,%5}"
#define ODDTILE_AT_4 "{%3,%4,%5,%6}"
#define ODDTILE_AT_5 "{%3,%4,%5,%6,%7}"
#define ODDTILE_COORDINATES_1 "r"(at[0])
#define ODDTILE_COORDINATES_2 ODDTILE_COORDINATES_1, "r"(at[1])
#define ODDTILE_COORDINATES_3 ODDTILE_COORDINATES_2, "r"(at[2])
#define ODDTILE_COORDINATES_4 ODDTILE_COORDINATES_3, "r"(at[3])
#define ODDTILE_COORDINATES_5 ODDTILE_COORDINATES_4, "r"(at[4])
#define ODDTILE_LOAD_TENSOR(rank, forms, last, ...)                                       \
  ODDTILE_SM90_ASM("cp.async.bulk.tensor." #rank                                          \
                   "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" forms     \
                   " [%0], [%2, " ODDTILE_AT_##rank "], [%1]" last ";" ::"r"(to_address), \
                   "r"(full_address), "l"(map),                                           \
                   ODDTILE_COORDINATES_##rank __VA_OPT__(, ) __VA_ARGS__                  \
                   : "memory")
#define ODDTILE_STORE_TENSOR(rank)                                                \
  ODDTILE_SM90_ASM("cp.async.bulk.tensor." #rank                                  \
                   "d.global.shared::cta.tile.bulk_group [%2, " ODDTILE_AT_##rank \
                   "], [%0];" ::"r"(shared_address(from)),                        \
                   "r"(0), "l"(map), ODDTILE_COORDINATES_##rank                   \
                   : "memory")

// The map's box at these coordinates (elements, innermost first) to shared memory, 128-byte
// aligned; outside the tensor 0. Adds the whole box's bytes to what `full` has received.
template <int rank>
ODDTILE_DEVICE void load_tensor_bulk(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                     Mbarrier* full) {
  [[maybe_unused]] const uint32_t to_address = shared_address(to);
  [[maybe_unused]] const uint32_t full_address = shared_address(full);
  if constexpr (rank == 1) ODDTILE_LOAD_TENSOR(1, "", "");
  if constexpr (rank == 2) ODDTILE_LOAD_TENSOR(2, "", "");
  if constexpr (rank == 3) ODDTILE_LOAD_TENSOR(3, "", "");
  if constexpr (rank == 4) ODDTILE_LOAD_TENSOR(4, "", "");
  if constexpr (rank == 5) ODDTILE_LOAD_TENSOR(5, "", "");
}
template <int rank>
ODDTILE_DEVICE void load_tensor_bulk(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                     Mbarrier* full, CachePolicy policy) {
  [[maybe_unused]] const uint32_t to_address = shared_address(to);
  [[maybe_unused]] const uint32_t full_address = shared_address(full);
  [[maybe_unused]] const uint64_t bits = policy.bits;
  if constexpr (rank == 1) ODDTILE_LOAD_TENSOR(1, ".L2::cache_hint", ", %4", "l"(bits));
  if constexpr (rank == 2) ODDTILE_LOAD_TENSOR(2, ".L2::cache_hint", ", %5", "l"(bits));
  if constexpr (rank == 3) ODDTILE_LOAD_TENSOR(3, ".L2::cache_hint", ", %6", "l"(bits));
  if constexpr (rank == 4) ODDTILE_LOAD_TENSOR(4, ".L2::cache_hint", ", %7", "l"(bits));
  if constexpr (rank == 5) ODDTILE_LOAD_TENSOR(5, ".L2::cache_hint", ", %8", "l"(bits));
}
// To the same place in every block of the cluster whose bit is set in `ranks`, and to its barrier.
template <int rank>
ODDTILE_DEVICE void load_tensor_multicast(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                          Mbarrier* full, uint16_t ranks, CachePolicy policy) {
  [[maybe_unused]] const uint32_t to_address = shared_address(to);
  [[maybe_unused]] const uint32_t full_address = shared_address(full);
  [[maybe_unused]] const uint64_t bits = policy.bits;
  static_assert(rank >= 2 && rank <= 5);
#define ODDTILE_MULTICAST ".multicast::cluster.L2::cache_hint"
  if constexpr (rank == 2)
    ODDTILE_LOAD_TENSOR(2, ODDTILE_MULTICAST, ", %5, %6", "h"(ranks), "l"(bits));
  if constexpr (rank == 3)
    ODDTILE_LOAD_TENSOR(3, ODDTILE_MULTICAST, ", %6, %7", "h"(ranks), "l"(bits));
  if constexpr (rank == 4)
    ODDTILE_LOAD_TENSOR(4, ODDTILE_MULTICAST, ", %7, %8", "h"(ranks), "l"(bits));
  if constexpr (rank == 5)
    ODDTILE_LOAD_TENSOR(5, ODDTILE_MULTICAST, ", %8, %9", "h"(ranks), "l"(bits));
#undef ODDTILE_MULTICAST
}
// A box from shared memory; what lies outside the tensor is not written. Joins this lane's group.
template <int rank>
ODDTILE_DEVICE void store_tensor_bulk(const TensorMap* map, const int32_t (&at)[rank],
                                      const void* from) {
  if constexpr (rank == 1) ODDTILE_STORE_TENSOR(1);
  if constexpr (rank == 2) ODDTILE_STORE_TENSOR(2);
  if constexpr (rank == 3) ODDTILE_STORE_TENSOR(3);
  if constexpr (rank == 4) ODDTILE_STORE_TENSOR(4);
  if constexpr (rank == 5) ODDTILE_STORE_TENSOR(5);
}

// Plain runs of bytes: addresses and `bytes` are multiples of 16.
template <class T>
ODDTILE_DEVICE void load_bulk(void* to, Global<const T> from, int32_t bytes, Mbarrier* full) {
  ODDTILE_SM90_ASM(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_address(to)),
      "l"(from.unchecked()), "r"(bytes), "r"(shared_address(full))
      : "memory");
}
template <class T>
ODDTILE_DEVICE void store_bulk(Global<T> to, const void* from, int32_t bytes) {
  ODDTILE_SM90_ASM(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to.unchecked()),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}

// Groups of this lane's bulk stores.
ODDTILE_DEVICE void commit_bulk() {
  ODDTILE_SM90_ASM("cp.async.bulk.commit_group;" ::: "memory");
}
// At most `pending` groups are unfinished; _read: at most so many still read shared memory.
template <int pending>
ODDTILE_DEVICE void wait_bulk() {
  ODDTILE_SM90_ASM("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}
template <int pending>
ODDTILE_DEVICE void wait_bulk_read() {
  ODDTILE_SM90_ASM("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// ---- host ----
// The driver's encoder, found at run time so that nothing links libcuda; null without a driver.
inline auto tensor_map_encoder() {
  using Encoder = decltype(&cuTensorMapEncodeTiled);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                              12000, cudaEnableDefault, &found);
#else
  const cudaError_t status =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<Encoder>(entry) : Encoder{};
}

// False where no map can describe the layout, or the driver refuses.
inline bool encode_tensor_map(TensorMap* map, const TensorLayout& layout) {
  static const auto encode = tensor_map_encoder();
  if (encode == nullptr || refusal(layout) != nullptr) return false;
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= 64);
  constexpr CUtensorMapDataType kElements[] = {
      CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32};
  cuuint64_t extent[kTensorRankMax];
  cuuint64_t stride[kTensorRankMax];
  cuuint32_t box[kTensorRankMax];
  cuuint32_t step[kTensorRankMax];
  for (int i = 0; i < kTensorRankMax; ++i) {
    extent[i] = cuuint64_t(layout.extent[i]);
    stride[i] = cuuint64_t(layout.stride_bytes[i]);
    box[i] = cuuint32_t(layout.box[i]);
    step[i] = 1;
  }
  return encode(reinterpret_cast<CUtensorMap*>(map), kElements[int(layout.element)],
                cuuint32_t(layout.rank), const_cast<void*>(layout.base), extent, stride + 1, box,
                step, CU_TENSOR_MAP_INTERLEAVE_NONE, CUtensorMapSwizzle(int(layout.swizzle)),
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// Whether the current device speaks these words.
inline bool speaks_hopper() {
  int device = 0;
  int major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major == 9;
}
// Whether, moreover, this kernel was compiled to them.
template <class Parameters>
bool speaks_hopper(void (*kernel)(Parameters)) {
  cudaFuncAttributes attributes{};
  if (!speaks_hopper()) return false;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return cudaGetLastError(), false;
  return attributes.ptxVersion >= 90;
}
// A kernel of these words is the first choice where it can run.
inline constexpr bool kPrefersHopper = true;

// Starts to bring the 32 bytes of memory around element `index` to L2, elsewhere their whole line.
inline constexpr uint32_t kSectorBytes = 32;
template <class T>
ODDTILE_DEVICE void prefetch_sector(Global<T> base, int64_t index) {
  if constexpr (kHopperCode) {
    const auto address = reinterpret_cast<uintptr_t>(base.unchecked() + index);
    ODDTILE_SM90_ASM(
        "cp.async.bulk.prefetch.L2.global [%0], 32;" ::"l"(address & ~uintptr_t(kSectorBytes - 1)));
  } else {
    prefetch(base, index);
  }
}

}  // namespace oddtile::cuda
