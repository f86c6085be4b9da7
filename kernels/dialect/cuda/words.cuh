// The dialect on the GPU: every word is an intrinsic or one PTX instruction (sm_80 and later).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/base/bits.h"
#include "kernels/dialect/global.h"

#define ODDTILE_KERNEL(max_threads, min_blocks) \
  __global__ void __launch_bounds__(max_threads, min_blocks)
#define ODDTILE_DEVICE __device__ __forceinline__
#define ODDTILE_UNROLL _Pragma("unroll")
#define ODDTILE_NO_UNROLL _Pragma("unroll 1")

namespace oddtile::cuda {

// Pessimistic for sm_80 and later; an H200 measures 25 fraction bits, 2^-22.73 and 2^-22.15.
inline constexpr MachineArithmetic kMachineArithmetic = {
    .mma_products = 16,
    .mma_fraction_bits = 23,
    .exp2_error = 0x1p-22,
    .exp2_flushes = true,
    .log2_error = 0x1p-21,
};

// ---- position ----
ODDTILE_DEVICE int32_t thread() {
  return int32_t(threadIdx.x);
}
ODDTILE_DEVICE int32_t threads() {
  return int32_t(blockDim.x);
}
ODDTILE_DEVICE int32_t lane() {
  return int32_t(threadIdx.x & 31u);
}
ODDTILE_DEVICE int32_t warp() {
  return int32_t(threadIdx.x >> 5);
}
ODDTILE_DEVICE int64_t block() {
  return int64_t(blockIdx.x);
}
ODDTILE_DEVICE int64_t blocks() {
  return int64_t(gridDim.x);
}

// ---- global memory ----
template <int bytes>
struct Chunk;
template <>
struct Chunk<1> {
  using Type = uint8_t;
};
template <>
struct Chunk<2> {
  using Type = uint16_t;
};
template <>
struct Chunk<4> {
  using Type = uint32_t;
};
template <>
struct Chunk<8> {
  using Type = uint2;
};
template <>
struct Chunk<16> {
  using Type = uint4;
};

// Value number `index` of type `Value`, counted from `base`; Value is T or a Vector of T.
template <class Value, class T>
ODDTILE_DEVICE Value load_as(Global<T> base, int64_t index) {
  using Bits = typename Chunk<sizeof(Value)>::Type;
  const Bits bits = reinterpret_cast<const Bits*>(base.unchecked())[index];
  return *reinterpret_cast<const Value*>(&bits);
}

// The same where only some of the values have an influence; the simulator wants to know which.
template <class Value, class T>
ODDTILE_DEVICE Value load_covering(Global<T> base, int64_t index, uint32_t /*elements*/) {
  return load_as<Value>(base, index);
}

template <class T>
ODDTILE_DEVICE T load(Global<const T> base, int64_t index) {
  return load_as<T>(base, index);
}

template <class Value, class T>
ODDTILE_DEVICE void store_as(Global<T> base, int64_t index, const Value& value) {
  using Bits = typename Chunk<sizeof(Value)>::Type;
  reinterpret_cast<Bits*>(base.unchecked())[index] = *reinterpret_cast<const Bits*>(&value);
}

template <class T>
ODDTILE_DEVICE void store(Global<T> base, int64_t index, T value) {
  store_as<T>(base, index, value);
}

// Starts to bring the line of element `index` to L2, for a later block.
template <class T>
ODDTILE_DEVICE void prefetch(Global<T> base, int64_t index) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(base.unchecked() + index));
}

// Address modulo a power of two, for choosing an access width.
template <class T>
ODDTILE_DEVICE uint32_t address_modulo(Global<T> base, uint32_t power_of_two) {
  return uint32_t(reinterpret_cast<uintptr_t>(base.unchecked())) & (power_of_two - 1u);
}

// ---- shared memory ----
// The block's shared memory, 1024-byte aligned; its size is LaunchShape::shared_bytes.
ODDTILE_DEVICE std::byte* shared_memory() {
  extern __shared__ __align__(1024) std::byte oddtile_shared[];
  return oddtile_shared;
}

ODDTILE_DEVICE uint32_t shared_address(const void* pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

// ---- asynchronous copies ----
// 16 bytes to shared memory; bytes from `valid_bytes` on are written as 0 and not read. The rest of
// its line of 128 bytes comes to L2, unless the 16 bytes are to come alone.
template <bool alone = false, class T>
ODDTILE_DEVICE void copy_async_16(void* to, Global<const T> from, int32_t valid_bytes) {
  const uint32_t place = shared_address(to);
  if constexpr (alone) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place),
                 "l"(from.unchecked()), "r"(valid_bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(place),
                 "l"(from.unchecked()), "r"(valid_bytes)
                 : "memory");
  }
}
ODDTILE_DEVICE void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most `pending` of this lane's committed groups are incomplete.
template <int pending>
ODDTILE_DEVICE void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// ---- synchronisation and warp collectives (all 32 lanes take part) ----
ODDTILE_DEVICE void sync_block() {
  __syncthreads();
}
ODDTILE_DEVICE void sync_warp() {
  __syncwarp();
}
template <class T>
ODDTILE_DEVICE T shuffle(T value, int32_t source_lane) {
  return __shfl_sync(0xFFFFFFFFu, value, source_lane);
}
template <class T>
ODDTILE_DEVICE T shuffle_xor(T value, int32_t lane_mask) {
  return __shfl_xor_sync(0xFFFFFFFFu, value, lane_mask);
}
ODDTILE_DEVICE bool vote_any(bool value) {
  return __any_sync(0xFFFFFFFFu, value);
}
ODDTILE_DEVICE bool vote_all(bool value) {
  return __all_sync(0xFFFFFFFFu, value);
}

ODDTILE_DEVICE int32_t maximum_over_warp(int32_t value) {
  return __reduce_max_sync(0xFFFFFFFFu, value);
}

// Lets about `ns` nanoseconds pass; nothing may depend on it.
ODDTILE_DEVICE void pause(int32_t ns) {
  const auto now = [] {
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  const uint64_t begin = now();
  while (ns > 0 && now() - begin < uint64_t(ns)) __nanosleep(100);
}

// ---- matrix unit ----
// Four 8x8 matrices of 16-bit elements; lane l gives the address of row l%8 of matrix l/8.
ODDTILE_DEVICE void load_matrix_4(uint32_t (&to)[4], const void* shared_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(shared_row)));
}
ODDTILE_DEVICE void load_matrix_4_transposed(uint32_t (&to)[4], const void* shared_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(shared_row)));
}
// sum += a b for a 16x16 (row major) a and a 16x8 (column major) b; fragments as PTX defines them.
template <class T>
ODDTILE_DEVICE void mma_16x8x16(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (sizeof(T) == 2 && T::kIsBfloat16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}
// The same for 16 columns: two blocks, side by side, of sums and of b, as load_matrix_4 brings
// them.
template <class T>
ODDTILE_DEVICE void mma_16x16x16(float (&left)[4], float (&right)[4], const uint32_t (&a)[4],
                                 const uint32_t (&b)[4]) {
  mma_16x8x16<T>(left, a, b[0], b[1]);
  mma_16x8x16<T>(right, a, b[2], b[3]);
}
// Runs `body`. What its load_matrix_4 and mma_16x16x16 give may be used by these words only until
// body ends, and must not lie within it: the simulator computes them then.
template <class Body>
ODDTILE_DEVICE void matrix_batch(const Body& body) {
  body();
}

// ---- arithmetic ----
// Kernels are compiled with -fmad=false: a product and a sum are two roundings unless fma says one.
ODDTILE_DEVICE float fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
ODDTILE_DEVICE float divide(float a, float b) {
  return __fdiv_rn(a, b);
}
// 1 / a rounded once for 2^-125 <= |a| <= 2^125, without divide's branch; NaN for a zero or an
// infinite a.
ODDTILE_DEVICE float reciprocal(float a) {
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(a));
  return fma(fma(-a, near, 1.0f), near, near);
}
ODDTILE_DEVICE float maximum(float a, float b) {
  return fmaxf(a, b);
}  // drops a NaN
// The same of two packed 16-bit values of type T.
template <class T>
ODDTILE_DEVICE uint32_t maximum_of_pairs(uint32_t a, uint32_t b) {
  uint32_t result;
  if constexpr (T::kIsBfloat16) {
    asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("max.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}
// Their sums, each rounded once to nearest even. (sm_80 has no addition of bf16; times 1 is exact.)
template <class T>
ODDTILE_DEVICE uint32_t sum_of_pairs(uint32_t a, uint32_t b) {
  uint32_t result;
  if constexpr (T::kIsBfloat16) {
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(0x3F803F80u), "r"(b));
  } else {
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}
// Byte i of the result is the byte of low, high (0 ... 7) that nibble i of the selector names; if
// the nibble's highest bit is set, that byte's highest bit throughout.
ODDTILE_DEVICE uint32_t select_bytes(uint32_t low, uint32_t high, uint32_t selector) {
  uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(selector));
  return result;
}
ODDTILE_DEVICE float minimum(float a, float b) {
  return fminf(a, b);
}
// Of integers; one instruction on sm_90.
ODDTILE_DEVICE int32_t maximum_of_3(int32_t a, int32_t b, int32_t c) {
  return __vimax3_s32(a, b, c);
}
ODDTILE_DEVICE float magnitude(float a) {
  return fabsf(a);
}
ODDTILE_DEVICE float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
ODDTILE_DEVICE float log2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

ODDTILE_DEVICE float to_float(float value) {
  return value;
}
ODDTILE_DEVICE float to_float(Half value) {
  return __half2float(__ushort_as_half(value.bits));
}
ODDTILE_DEVICE float to_float(Bfloat16 value) {
  return __uint_as_float(uint32_t(value.bits) << 16);
}
// One rounding to nearest even; overflow to infinity.
template <class T>
ODDTILE_DEVICE T from_float(float value) {
  if constexpr (sizeof(T) == 4) {
    return value;
  } else if constexpr (T::kIsBfloat16) {
    return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
  } else {
    return {__half_as_ushort(__float2half_rn(value))};
  }
}
// Two 16-bit values in one register, `low` in the low half.
template <class T>
ODDTILE_DEVICE uint32_t pack(float low, float high) {
  uint32_t bits;
  if constexpr (T::kIsBfloat16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  }
  return bits;
}

// The same bits, of which the compiler knows nothing: what it unpacked from them before must be
// unpacked again instead of being kept in more registers.
ODDTILE_DEVICE uint32_t opaque(uint32_t bits) {
  asm volatile("" : "+r"(bits));
  return bits;
}

// ---- host ----
// Enqueues `count` zeros; false when the machine refuses.
template <class T>
bool clear(Global<T> first, int64_t count, void* stream) {
  return cudaMemsetAsync(first.unchecked(), 0, size_t(count) * sizeof(T),
                         static_cast<cudaStream_t>(stream)) == cudaSuccess;
}
// Of the current device: how many blocks run at once where one fills a multiprocessor.
inline int32_t multiprocessors() {
  int device = 0;
  int count = 1;
  if (cudaGetDevice(&device) == cudaSuccess) {
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  }
  return count;
}
constexpr int kPortableClusterBlocks = 8;

// What the runtime wants to know of a launch in clusters, or of an early one.
struct AttributedLaunch {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};

  AttributedLaunch(const LaunchShape& shape, void* stream) {
    if (shape.cluster_blocks != 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {uint32_t(shape.cluster_blocks), 1, 1};
    }
    if (shape.early) {
      cudaLaunchAttribute& early = attributes[config.numAttrs++];
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
    }
    config.gridDim = dim3(uint32_t(shape.blocks));
    config.blockDim = dim3(uint32_t(shape.threads));
    config.dynamicSmemBytes = size_t(shape.shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = attributes;
  }
  AttributedLaunch(const AttributedLaunch&) = delete;
  AttributedLaunch& operator=(const AttributedLaunch&) = delete;
};

// False where the device has no clusters of this size.
inline bool allow_cluster(const void* kernel, const LaunchShape& shape) {
  if (shape.cluster_blocks < 1 || shape.blocks % shape.cluster_blocks != 0) return false;
  if (shape.cluster_blocks <= kPortableClusterBlocks) return true;
  const cudaError_t allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return allowed == cudaSuccess || (cudaGetLastError(), false);
}

inline bool allow_shared_bytes(const void* kernel, int64_t bytes) {
  if (bytes <= 48 * 1024) return true;
  const cudaError_t allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  return allowed == cudaSuccess || (cudaGetLastError(), false);
}

// The most dynamic shared memory that a block may have on the current device.
inline int64_t shared_bytes_at_most() {
  int device = 0;
  int bytes = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                            device) == cudaSuccess;
  return known ? bytes : 48 * 1024;
}

// How many blocks of such a launch run at once on the current device, in whole clusters; 0:
// unknown.
template <class Parameters>
int64_t blocks_at_once(void (*kernel)(Parameters), const LaunchShape& shape) {
  const void* entry = reinterpret_cast<const void*>(kernel);
  if (!allow_shared_bytes(entry, shape.shared_bytes) || !allow_cluster(entry, shape)) return 0;
  int count = 0;
  if (shape.cluster_blocks == 1) {
    const cudaError_t known = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &count, entry, shape.threads, size_t(shape.shared_bytes));
    return known == cudaSuccess ? int64_t(count) * multiprocessors() : 0;
  }
  const AttributedLaunch launch(shape, nullptr);
  const cudaError_t known = cudaOccupancyMaxActiveClusters(&count, entry, &launch.config);
  return known == cudaSuccess ? int64_t(count) * shape.cluster_blocks : 0;
}

// Enqueues kernel(parameters) on `stream`; false when the machine refuses. `name` is for reports.
template <class Parameters>
bool launch(void (*kernel)(Parameters), const char* /*name*/, const LaunchShape& shape,
            void* stream, const Parameters& parameters) {
  if (shape.blocks == 0) return true;
  if (shape.blocks > 0x7FFFFFFF) return false;
  const void* entry = reinterpret_cast<const void*>(kernel);
  if (!allow_shared_bytes(entry, shape.shared_bytes)) return false;
  // The status of this launch alone; cudaGetLastError would also tell of the caller's old errors.
  void* arguments[] = {const_cast<Parameters*>(&parameters)};
  if (shape.cluster_blocks != 1 || shape.early) {
    const AttributedLaunch launch(shape, stream);
    return allow_cluster(entry, shape) &&
           cudaLaunchKernelExC(&launch.config, entry, arguments) == cudaSuccess;
  }
  return cudaLaunchKernel(entry, dim3(uint32_t(shape.blocks)), dim3(uint32_t(shape.threads)),
                          arguments, size_t(shape.shared_bytes),
                          static_cast<cudaStream_t>(stream)) == cudaSuccess;
}

}  // namespace oddtile::cuda
