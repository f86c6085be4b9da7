// The dialect on the simulator: every word forwards to kernels/sim/lane.h. A word that touches
// memory or waits takes the place of its call as a last, defaulted argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/bits.h"
#include "kernels/dialect/global.h"
#include "kernels/dialect/sim/arithmetic.h"
#include "kernels/sim/lane.h"

#define ODDTILE_KERNEL(max_threads, min_blocks) void
#define ODDTILE_DEVICE inline
#define ODDTILE_UNROLL
#define ODDTILE_NO_UNROLL

namespace oddtile::sim {

// Declared as on the GPU, so that a bound that holds here is not tighter than one that holds there;
// this machine is better: products are summed in double, exp2 and log2 are within 0.51 ulp.
inline constexpr MachineArithmetic kMachineArithmetic = {
    .mma_products = 16,
    .mma_fraction_bits = 23,
    .exp2_error = 0x1p-22,
    .exp2_flushes = true,
    .log2_error = 0x1p-21,
};

// ---- position ----
ODDTILE_DEVICE int32_t thread() {
  return simulator::place.thread;
}
ODDTILE_DEVICE int32_t threads() {
  return simulator::place.threads;
}
ODDTILE_DEVICE int32_t lane() {
  return simulator::place.thread & 31;
}
ODDTILE_DEVICE int32_t warp() {
  return simulator::place.thread >> 5;
}
ODDTILE_DEVICE int64_t block() {
  return simulator::place.block;
}
ODDTILE_DEVICE int64_t blocks() {
  return simulator::place.blocks;
}

// ---- global memory ----
template <class T>
uintptr_t address_of(Global<T> base, int64_t index, size_t bytes) {
  return reinterpret_cast<uintptr_t>(base.unchecked()) + uintptr_t(index) * bytes;
}

// Value number `index` of type `Value`, counted from `base`; Value is T or a Vector of T.
template <class Value, class T>
ODDTILE_DEVICE Value load_as(Global<T> base, int64_t index,
                             simulator::Site site = simulator::Site::here()) {
  Value value;
  simulator::read_global(&value, address_of(base, index, sizeof(Value)), sizeof(Value), site);
  return value;
}

// The same where only some values count, a bit of `elements` each: others may write the rest.
template <class Value, class T>
ODDTILE_DEVICE Value load_covering(Global<T> base, int64_t index, uint32_t elements,
                                   simulator::Site site = simulator::Site::here()) {
  Value value;
  simulator::read_covering(&value, address_of(base, index, sizeof(Value)), sizeof(Value), elements,
                           sizeof(T), site);
  return value;
}

template <class T>
ODDTILE_DEVICE T load(Global<const T> base, int64_t index,
                      simulator::Site site = simulator::Site::here()) {
  return load_as<T>(base, index, site);
}

template <class Value, class T>
ODDTILE_DEVICE void store_as(Global<T> base, int64_t index, const Value& value,
                             simulator::Site site = simulator::Site::here()) {
  simulator::write_global(address_of(base, index, sizeof(Value)), &value, sizeof(Value), site);
}

template <class T>
ODDTILE_DEVICE void store(Global<T> base, int64_t index, T value,
                          simulator::Site site = simulator::Site::here()) {
  store_as<T>(base, index, value, site);
}

// Starts to bring the line of element `index` to L2, for a later block: no access, but counted.
template <class T>
ODDTILE_DEVICE void prefetch(Global<T> base, int64_t index,
                             simulator::Site site = simulator::Site::here()) {
  simulator::prefetch_global(address_of(base, index, sizeof(T)), 128, site);
}

// Address modulo a power of two, for choosing an access width.
template <class T>
ODDTILE_DEVICE uint32_t address_modulo(Global<T> base, uint32_t power_of_two) {
  return uint32_t(reinterpret_cast<uintptr_t>(base.unchecked())) & (power_of_two - 1u);
}

// ---- shared memory ----
// The block's shared memory, at shared address 0; its size is LaunchShape::shared_bytes.
ODDTILE_DEVICE std::byte* shared_memory() {
  return simulator::place.shared;
}

ODDTILE_DEVICE uint32_t shared_address(const void* pointer) {
  return uint32_t(static_cast<const std::byte*>(pointer) - simulator::place.shared);
}

// ---- asynchronous copies ----
// 16 bytes to shared memory; bytes from `valid_bytes` on are written as 0 and not read. `alone`:
// the same here.
template <bool alone = false, class T>
ODDTILE_DEVICE void copy_async_16(void* to, Global<const T> from, int32_t valid_bytes,
                                  simulator::Site site = simulator::Site::here()) {
  simulator::copy_async(to, address_of(from, 0, 0), valid_bytes, site);
}
// Closes this lane's group of copies.
ODDTILE_DEVICE void commit_copies(simulator::Site site = simulator::Site::here()) {
  simulator::commit_copies(site);
}
// Waits until at most `pending` of this lane's committed groups are incomplete.
template <int pending>
ODDTILE_DEVICE void wait_copies(simulator::Site site = simulator::Site::here()) {
  simulator::wait_copy_groups(pending, site);
}

// ---- synchronisation and warp collectives (all 32 lanes take part) ----
ODDTILE_DEVICE void sync_block(simulator::Site site = simulator::Site::here()) {
  simulator::sync_block(site);
}
ODDTILE_DEVICE void sync_warp(simulator::Site site = simulator::Site::here()) {
  simulator::sync_warp(site);
}
template <class T>
ODDTILE_DEVICE T shuffle(T value, int32_t source_lane,
                         simulator::Site site = simulator::Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = simulator::exchange(bits, source_lane & 31, site);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
ODDTILE_DEVICE T shuffle_xor(T value, int32_t lane_mask,
                             simulator::Site site = simulator::Site::here()) {
  return shuffle(value, lane() ^ lane_mask, site);
}
ODDTILE_DEVICE bool vote_any(bool value, simulator::Site site = simulator::Site::here()) {
  return simulator::ballot(value, site) != 0;
}
ODDTILE_DEVICE bool vote_all(bool value, simulator::Site site = simulator::Site::here()) {
  return simulator::ballot(value, site) == 0xFFFFFFFFu;
}

ODDTILE_DEVICE int32_t maximum_over_warp(int32_t value,
                                         simulator::Site site = simulator::Site::here()) {
  for (int32_t step = 1; step < 32; step *= 2) {
    const int32_t other = shuffle_xor(value, step, site);
    value = value > other ? value : other;
  }
  return value;
}

ODDTILE_DEVICE void pause(int32_t /*ns*/) {}

// ---- matrix unit ----
// Four 8x8 matrices of 16-bit elements; lane l gives the address of row l%8 of matrix l/8.
ODDTILE_DEVICE void load_matrix_4(uint32_t (&to)[4], const void* shared_row,
                                  simulator::Site site = simulator::Site::here()) {
  simulator::read_matrix_4(to, shared_row, false, site);
}
ODDTILE_DEVICE void load_matrix_4_transposed(uint32_t (&to)[4], const void* shared_row,
                                             simulator::Site site = simulator::Site::here()) {
  simulator::read_matrix_4(to, shared_row, true, site);
}
// sum += a b for a 16x16 (row major) a and a 16x8 (column major) b; fragments as PTX defines them.
template <class T>
ODDTILE_DEVICE void mma_16x8x16(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                simulator::Site site = simulator::Site::here()) {
  simulator::multiply_16x8x16(sum, a, b0, b1, T::kIsBfloat16, site);
}
// The same for 16 columns: two blocks, side by side, of sums and of b, as load_matrix_4 brings
// them.
template <class T>
ODDTILE_DEVICE void mma_16x16x16(float (&left)[4], float (&right)[4], const uint32_t (&a)[4],
                                 const uint32_t (&b)[4],
                                 simulator::Site site = simulator::Site::here()) {
  simulator::multiply_16x16x16(left, right, a, b, T::kIsBfloat16, site);
}
// Runs `body`. What its load_matrix_4 and mma_16x16x16 give may be used by these words only until
// body ends, and must not lie within it: here they are computed then, once for the whole warp.
template <class Body>
ODDTILE_DEVICE void matrix_batch(const Body& body, simulator::Site site = simulator::Site::here()) {
  simulator::begin_matrix_batch();
  body();
  simulator::end_matrix_batch(site);
}

// ---- host ----
template <class T>
bool clear(Global<T> first, int64_t count, void* stream) {
  if (stream == nullptr) return false;
  std::memset(static_cast<void*>(first.unchecked()), 0, size_t(count) * sizeof(T));
  return true;
}
// Blocks run one after another; two, and two clusters, make a persistent kernel share its work.
inline int32_t multiprocessors() {
  return 2;
}
// The most shared memory that a block may have.
inline int64_t shared_bytes_at_most() {
  return simulator::kSharedBytesMax;
}

template <class Parameters>
int64_t blocks_at_once(void (*)(Parameters), const LaunchShape& shape) {
  return 2 * int64_t(shape.cluster_blocks);
}

// Runs kernel(parameters) to completion on the Machine that `stream` points at; false when the
// machine refuses. `name` is for hazards.
template <class Parameters>
bool launch(void (*kernel)(Parameters), const char* name, const LaunchShape& shape, void* stream,
            const Parameters& parameters) {
  if (stream == nullptr) return false;
  if (shape.blocks == 0) return true;
  struct Call {
    void (*kernel)(Parameters);
    const Parameters* parameters;
  };
  const Call call{kernel, &parameters};
  const auto enter = [](const void* argument) {
    const Call& wanted = *static_cast<const Call*>(argument);
    wanted.kernel(*wanted.parameters);
  };
  return simulator::run(*static_cast<Machine*>(stream),
                        {name, shape.blocks, shape.threads, shape.shared_bytes, enter, &call,
                         shape.cluster_blocks, shape.early});
}

}  // namespace oddtile::sim
