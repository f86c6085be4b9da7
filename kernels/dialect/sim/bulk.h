// Bulk copies and tensor maps on the simulator. A copy is issued by one lane.
#pragma once

#include "kernels/dialect/sim/hopper.h"
#include "kernels/sim/tensor_map.h"

namespace oddtile::sim {

// Caches are not modelled.
ODDTILE_DEVICE CachePolicy cache_policy(CacheHint hint) {
  return {uint64_t(hint)};
}
ODDTILE_DEVICE void prefetch_tensor_map(const TensorMap*) {}

// The map's box at these coordinates (elements, innermost first) to shared memory, 128-byte
// aligned; outside the tensor 0. Adds the whole box's bytes to what `full` has received.
template <int rank>
ODDTILE_DEVICE void load_tensor_bulk(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                     Mbarrier* full,
                                     simulator::Site site = simulator::Site::here()) {
  simulator::load_tensor_bulk(to, map, at, rank, full, site);
}
template <int rank>
ODDTILE_DEVICE void load_tensor_bulk(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                     Mbarrier* full, CachePolicy,
                                     simulator::Site site = simulator::Site::here()) {
  simulator::load_tensor_bulk(to, map, at, rank, full, site);
}
// To the same place in every block of the cluster whose bit is set in `ranks`, and to its barrier.
template <int rank>
ODDTILE_DEVICE void load_tensor_multicast(void* to, const TensorMap* map, const int32_t (&at)[rank],
                                          Mbarrier* full, uint16_t ranks, CachePolicy,
                                          simulator::Site site = simulator::Site::here()) {
  static_assert(rank >= 2 && rank <= 5);
  simulator::load_tensor_multicast(to, map, at, rank, full, ranks, site);
}
// A box from shared memory; what lies outside the tensor is not written. Joins this lane's group.
template <int rank>
ODDTILE_DEVICE void store_tensor_bulk(const TensorMap* map, const int32_t (&at)[rank],
                                      const void* from,
                                      simulator::Site site = simulator::Site::here()) {
  simulator::store_tensor_bulk(map, at, rank, from, site);
}

// Plain runs of bytes: addresses and `bytes` are multiples of 16.
template <class T>
ODDTILE_DEVICE void load_bulk(void* to, Global<const T> from, int32_t bytes, Mbarrier* full,
                              simulator::Site site = simulator::Site::here()) {
  simulator::load_bulk(to, address_of(from, 0, 0), bytes, full, site);
}
template <class T>
ODDTILE_DEVICE void store_bulk(Global<T> to, const void* from, int32_t bytes,
                               simulator::Site site = simulator::Site::here()) {
  simulator::store_bulk(address_of(to, 0, 0), from, bytes, site);
}

// Groups of this lane's bulk stores.
ODDTILE_DEVICE void commit_bulk(simulator::Site site = simulator::Site::here()) {
  simulator::commit_bulk(site);
}
// At most `pending` groups are unfinished; _read: at most so many still read shared memory.
template <int pending>
ODDTILE_DEVICE void wait_bulk(simulator::Site site = simulator::Site::here()) {
  simulator::wait_bulk(pending, false, site);
}
template <int pending>
ODDTILE_DEVICE void wait_bulk_read(simulator::Site site = simulator::Site::here()) {
  simulator::wait_bulk(pending, true, site);
}

// ---- host ----
// False where no map can describe the layout.
inline bool encode_tensor_map(TensorMap* map, const TensorLayout& layout) {
  return simulator::write_tensor_map(map, layout);
}
inline bool speaks_hopper() {
  return true;
}
template <class Parameters>
bool speaks_hopper(void (*)(Parameters)) {
  return true;
}
// Their kernels have large tiles and many lanes: here they are the slow ones.
inline constexpr bool kPrefersHopper = false;

// Starts to bring the 32 bytes of memory around element `index` to L2: no access, but counted.
inline constexpr uint32_t kSectorBytes = 32;
template <class T>
ODDTILE_DEVICE void prefetch_sector(Global<T> base, int64_t index,
                                    simulator::Site site = simulator::Site::here()) {
  simulator::prefetch_global(address_of(base, index, sizeof(T)), int(kSectorBytes), site);
}

}  // namespace oddtile::sim
