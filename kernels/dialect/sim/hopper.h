// The words of sm_90 on the simulator: each forwards to kernels/sim/hopper_words.h.
#pragma once

#include "kernels/dialect/hopper.h"
#include "kernels/dialect/sim/words.h"
#include "kernels/sim/hopper_words.h"

#define ODDTILE_GRID_CONSTANT const

namespace oddtile::sim {

inline constexpr bool kHopperCode = true;

// ---- position ----
ODDTILE_DEVICE int32_t warpgroup() {
  return thread() >> 7;
}
// True in one lane of the warp, always the same one; all 32 take part.
ODDTILE_DEVICE bool elect_one(simulator::Site site = simulator::Site::here()) {
  return simulator::elect_one(site);
}

// ---- mbarrier ----
ODDTILE_DEVICE void mbarrier_init(Mbarrier* barrier, int32_t arrivals,
                                  simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_init(barrier, arrivals, site);
}
// After the inits, before the barrier that lets other lanes (and the copies) see them.
ODDTILE_DEVICE void fence_mbarrier_init(simulator::Site site = simulator::Site::here()) {
  simulator::fence_mbarrier_init(site);
}
ODDTILE_DEVICE void mbarrier_invalidate(Mbarrier* barrier,
                                        simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_invalidate(barrier, site);
}
ODDTILE_DEVICE void mbarrier_arrive(Mbarrier* barrier, int32_t count = 1,
                                    simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_arrive(barrier, count, site);
}
// The current phase waits for `bytes` more bytes of copies.
ODDTILE_DEVICE void mbarrier_expect(Mbarrier* barrier, int32_t bytes,
                                    simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_expect(barrier, bytes, site);
}
ODDTILE_DEVICE void mbarrier_arrive_expect(Mbarrier* barrier, int32_t bytes,
                                           simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_arrive_expect(barrier, bytes, site);
}
// Whether the phase of this parity is complete; may be false although it is.
ODDTILE_DEVICE bool mbarrier_try_wait(Mbarrier* barrier, uint32_t parity,
                                      simulator::Site site = simulator::Site::here()) {
  return simulator::mbarrier_try_wait(barrier, parity, site);
}
ODDTILE_DEVICE void mbarrier_wait(Mbarrier* barrier, uint32_t parity,
                                  simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_wait(barrier, parity, site);
}

// ---- named barriers: `threads` lanes in whole warps, syncing or arriving ----
template <int id, int threads>
ODDTILE_DEVICE void named_barrier_sync(simulator::Site site = simulator::Site::here()) {
  static_assert(id > 0 && id < 16 && threads % 32 == 0, "0 is sync_block's");
  simulator::named_barrier_sync(id, threads, site);
}
template <int id, int threads>
ODDTILE_DEVICE void named_barrier_arrive(simulator::Site site = simulator::Site::here()) {
  static_assert(id > 0 && id < 16 && threads % 32 == 0, "0 is sync_block's");
  simulator::named_barrier_arrive(id, threads, site);
}
// The same for a barrier whose id is computed, the same in all lanes of a warp.
template <int threads>
ODDTILE_DEVICE void named_barrier_sync(int32_t id, simulator::Site site = simulator::Site::here()) {
  static_assert(threads % 32 == 0);
  simulator::named_barrier_sync(id, threads, site);
}
template <int threads>
ODDTILE_DEVICE void named_barrier_arrive(int32_t id,
                                         simulator::Site site = simulator::Site::here()) {
  static_assert(threads % 32 == 0);
  simulator::named_barrier_arrive(id, threads, site);
}

// ---- proxies: what plain code wrote or read, before copies or products touch it ----
ODDTILE_DEVICE void fence_async_proxy(simulator::Site site = simulator::Site::here()) {
  simulator::fence_async_proxy(simulator::ProxyFence::all, site);
}
ODDTILE_DEVICE void fence_async_proxy_shared(simulator::Site site = simulator::Site::here()) {
  simulator::fence_async_proxy(simulator::ProxyFence::shared, site);
}
ODDTILE_DEVICE void fence_async_proxy_global(simulator::Site site = simulator::Site::here()) {
  simulator::fence_async_proxy(simulator::ProxyFence::global, site);
}

// ---- registers of a warpgroup; the kernel needs launch bounds with one block a multiprocessor
// ----
template <int registers>
ODDTILE_DEVICE void setmaxnreg_decrease(simulator::Site site = simulator::Site::here()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256);
  simulator::set_registers(registers, false, site);
}
template <int registers>
ODDTILE_DEVICE void setmaxnreg_increase(simulator::Site site = simulator::Site::here()) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256);
  simulator::set_registers(registers, true, site);
}

// ---- stores of matrices: the inverse of load_matrix_4 ----
ODDTILE_DEVICE void store_matrix_4(void* shared_row, const uint32_t (&from)[4],
                                   simulator::Site site = simulator::Site::here()) {
  simulator::write_matrix_4(shared_row, from, false, site);
}
ODDTILE_DEVICE void store_matrix_4_transposed(void* shared_row, const uint32_t (&from)[4],
                                              simulator::Site site = simulator::Site::here()) {
  simulator::write_matrix_4(shared_row, from, true, site);
}

// ---- atomics and order between blocks ----
// The value before; relaxed.
ODDTILE_DEVICE int32_t atomic_add(Global<int32_t> base, int64_t index, int32_t value,
                                  simulator::Site site = simulator::Site::here()) {
  return simulator::atomic_add(address_of(base, index, sizeof(int32_t)), value, site);
}
// The zeros are there at once; that a block of an early launch touches them without having awaited
// them is a hazard.
template <class T>
bool clear_beside(Global<T> first, int64_t count, void* stream) {
  if (!clear(first, count, stream)) return false;
  simulator::clear_beside(*static_cast<Machine*>(stream),
                          reinterpret_cast<uintptr_t>(first.unchecked()),
                          count * int64_t(sizeof(T)));
  return true;
}
ODDTILE_DEVICE void await_earlier_launches(simulator::Site site = simulator::Site::here()) {
  simulator::await_earlier_launches(site);
}
ODDTILE_DEVICE void fence_device(simulator::Site site = simulator::Site::here()) {
  simulator::fence_device(site);
}

// ---- products: see cuda/wgmma.cuh ----
// sum = a b, or sum + a b where `accumulate`; columns = 2 * (length of sum). The result is there
// after wgmma_wait and wgmma_ready; until then sum and a may be neither read nor written.
template <class T, Major a_major = Major::k, Major b_major = Major::k, int length>
ODDTILE_DEVICE void wgmma(float (&sum)[length], MatrixDescriptor a, MatrixDescriptor b,
                          bool accumulate, simulator::Site site = simulator::Site::here()) {
  static_assert(length % 4 == 0 && length <= 128);
  simulator::wgmma({sum, length, nullptr, a, b, a_major, b_major, accumulate, T::kIsBfloat16},
                   site);
}
// The left operand in registers: a[0] ... a[3], the fragment of mma_16x8x16 for this warp's rows.
template <class T, Major b_major = Major::k, int length>
ODDTILE_DEVICE void wgmma(float (&sum)[length], const uint32_t* a, MatrixDescriptor b,
                          bool accumulate, simulator::Site site = simulator::Site::here()) {
  static_assert(length % 4 == 0 && length <= 128);
  simulator::wgmma({sum, length, a, {}, b, Major::k, b_major, accumulate, T::kIsBfloat16}, site);
}
// Orders this warpgroup's plain accesses to sums and fragments before the products that follow.
ODDTILE_DEVICE void wgmma_fence(simulator::Site site = simulator::Site::here()) {
  simulator::wgmma_fence(site);
}
ODDTILE_DEVICE void wgmma_commit(simulator::Site site = simulator::Site::here()) {
  simulator::wgmma_commit(site);
}
// At most `pending` of the newest groups are unfinished.
template <int pending>
ODDTILE_DEVICE void wgmma_wait(simulator::Site site = simulator::Site::here()) {
  static_assert(pending >= 0 && pending <= 7);
  simulator::wgmma_wait(pending, site);
}
// After the wait that makes it true; here, a sum that is still in flight is reported.
template <int length>
ODDTILE_DEVICE void wgmma_ready(float (&sum)[length],
                                simulator::Site site = simulator::Site::here()) {
  simulator::wgmma_ready(sum, site);
}
ODDTILE_DEVICE MatrixDescriptor matrix_descriptor(const void* start, uint32_t leading_bytes,
                                                  uint32_t stride_bytes, Swizzle swizzle) {
  return oddtile::matrix_descriptor(shared_address(start), leading_bytes, stride_bytes, swizzle);
}

}  // namespace oddtile::sim
