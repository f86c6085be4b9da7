// The words of sm_90a on the GPU: barriers, fences, register counts. Copies are in bulk.cuh,
// products in wgmma.cuh, clusters in cluster.cuh. Code for other architectures traps where it meets
// one.
#pragma once

#include "kernels/dialect/cuda/words.cuh"
#include "kernels/dialect/hopper.h"

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#  define ODDTILE_SM90_ASM(...) asm volatile(__VA_ARGS__)
#  define ODDTILE_HOPPER_CODE true
#else
#  define ODDTILE_SM90_ASM(...) __trap()
#  define ODDTILE_HOPPER_CODE false
#endif
// A kernel's parameters stay where the launch put them, as tensor maps demand.
#define ODDTILE_GRID_CONSTANT const __grid_constant__

namespace oddtile::cuda {

// Whether this code is for an architecture that has the words: a kernel leaves out what would only
// be compiled to traps.
inline constexpr bool kHopperCode = ODDTILE_HOPPER_CODE;

// ---- position ----
// The same in all lanes of a warp, and the compiler knows it.
ODDTILE_DEVICE int32_t warpgroup() {
  return __shfl_sync(0xFFFFFFFFu, int32_t(threadIdx.x >> 7), 0);
}
// True in one lane of the warp, always the same one; all 32 take part.
ODDTILE_DEVICE bool elect_one() {
  uint32_t elected = 0;
  ODDTILE_SM90_ASM("{ .reg .pred p; elect.sync _|p, 0xFFFFFFFF; selp.b32 %0, 1, 0, p; }"
                   : "=r"(elected));
  return elected != 0;
}

// ---- mbarrier ----
ODDTILE_DEVICE void mbarrier_init(Mbarrier* barrier, int32_t arrivals) {
  ODDTILE_SM90_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                   "r"(arrivals)
                   : "memory");
}
// After the inits, before the barrier that lets other lanes (and the copies) see them.
ODDTILE_DEVICE void fence_mbarrier_init() {
  ODDTILE_SM90_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
}
ODDTILE_DEVICE void mbarrier_invalidate(Mbarrier* barrier) {
  ODDTILE_SM90_ASM("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
                   : "memory");
}
ODDTILE_DEVICE void mbarrier_arrive(Mbarrier* barrier, int32_t count = 1) {
  ODDTILE_SM90_ASM("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                   "r"(count)
                   : "memory");
}
// The current phase waits for `bytes` more bytes of copies.
ODDTILE_DEVICE void mbarrier_expect(Mbarrier* barrier, int32_t bytes) {
  ODDTILE_SM90_ASM(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
ODDTILE_DEVICE void mbarrier_arrive_expect(Mbarrier* barrier, int32_t bytes) {
  ODDTILE_SM90_ASM(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
// Whether the phase of this parity is complete; may be false although it is.
ODDTILE_DEVICE bool mbarrier_try_wait(Mbarrier* barrier, uint32_t parity) {
  uint32_t complete = 0;
  ODDTILE_SM90_ASM(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
      "selp.b32 %0, 1, 0, p; }"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}
ODDTILE_DEVICE void mbarrier_wait(Mbarrier* barrier, uint32_t parity) {
  ODDTILE_SM90_ASM(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "
      "@p bra done; bra again; done: }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
// ---- named barriers: `threads` lanes in whole warps, syncing or arriving ----
template <int id, int threads>
ODDTILE_DEVICE void named_barrier_sync() {
  static_assert(id > 0 && id < 16 && threads % 32 == 0, "0 is sync_block's");
  asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
}
template <int id, int threads>
ODDTILE_DEVICE void named_barrier_arrive() {
  static_assert(id > 0 && id < 16 && threads % 32 == 0, "0 is sync_block's");
  asm volatile("bar.arrive %0, %1;" ::"n"(id), "n"(threads) : "memory");
}
// The same for a barrier whose id is computed, the same in all lanes of a warp; the compiler then
// sets aside all sixteen.
template <int threads>
ODDTILE_DEVICE void named_barrier_sync(int32_t id) {
  static_assert(threads % 32 == 0);
  asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(threads) : "memory");
}
template <int threads>
ODDTILE_DEVICE void named_barrier_arrive(int32_t id) {
  static_assert(threads % 32 == 0);
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(threads) : "memory");
}

// ---- proxies: what plain code wrote or read, before copies or products touch it ----
ODDTILE_DEVICE void fence_async_proxy() {
  ODDTILE_SM90_ASM("fence.proxy.async;" ::: "memory");
}
ODDTILE_DEVICE void fence_async_proxy_shared() {
  ODDTILE_SM90_ASM("fence.proxy.async.shared::cta;" ::: "memory");
}
ODDTILE_DEVICE void fence_async_proxy_global() {
  ODDTILE_SM90_ASM("fence.proxy.async.global;" ::: "memory");
}

// ---- registers of a warpgroup; the kernel needs launch bounds with one block a multiprocessor
// ----
template <int registers>
ODDTILE_DEVICE void setmaxnreg_decrease() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256);
  ODDTILE_SM90_ASM("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
ODDTILE_DEVICE void setmaxnreg_increase() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256);
  ODDTILE_SM90_ASM("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- stores of matrices: the inverse of load_matrix_4 ----
ODDTILE_DEVICE void store_matrix_4(void* shared_row, const uint32_t (&from)[4]) {
  ODDTILE_SM90_ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                       shared_address(shared_row)),
                   "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                   : "memory");
}
ODDTILE_DEVICE void store_matrix_4_transposed(void* shared_row, const uint32_t (&from)[4]) {
  ODDTILE_SM90_ASM("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                       shared_address(shared_row)),
                   "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                   : "memory");
}

// ---- atomics and order between blocks ----
// The value before; relaxed.
ODDTILE_DEVICE int32_t atomic_add(Global<int32_t> base, int64_t index, int32_t value) {
  return atomicAdd(base.unchecked() + index, value);
}
template <class T>
__global__ void __launch_bounds__(32) clear_few(T* first, int64_t count) {
  for (int64_t i = threadIdx.x; i < count; i += 32) first[i] = T{};
}
// Enqueues a few zeros, beside which an early launch may start.
template <class T>
bool clear_beside(Global<T> first, int64_t count, void* stream) {
  T* address = first.unchecked();
  void* arguments[] = {&address, &count};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&clear_few<T>), dim3(1), dim3(32),
                          arguments, 0, static_cast<cudaStream_t>(stream)) == cudaSuccess;
}
// Of an early launch: until what was enqueued before it has ended, and its zeros can be touched.
ODDTILE_DEVICE void await_earlier_launches() {
  ODDTILE_SM90_ASM("griddepcontrol.wait;" ::: "memory");
}
ODDTILE_DEVICE void fence_device() {
  __threadfence();
}

}  // namespace oddtile::cuda
