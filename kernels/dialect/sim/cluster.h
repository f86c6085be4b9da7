// Clusters on the simulator: the blocks of one run together, and an address of the cluster is rank
// and offset.
#pragma once

#include "kernels/dialect/sim/hopper.h"

namespace oddtile::sim {

// ---- position ----
ODDTILE_DEVICE int32_t cluster_rank() {
  return simulator::place.rank;
}
ODDTILE_DEVICE int32_t cluster_size() {
  return simulator::place.cluster_blocks;
}

// ---- the barrier of all warps of all its blocks: what came before an arrival is seen after the
// wait. A block may not exit while another one may touch its shared memory. ----
ODDTILE_DEVICE void cluster_arrive(simulator::Site site = simulator::Site::here()) {
  simulator::cluster_arrive(site);
}
// As strong here.
ODDTILE_DEVICE void cluster_arrive_relaxed(simulator::Site site = simulator::Site::here()) {
  simulator::cluster_arrive(site);
}
ODDTILE_DEVICE void cluster_wait(simulator::Site site = simulator::Site::here()) {
  simulator::cluster_wait(site);
}

// ---- distributed shared memory ----
// What the block of this rank has where `own` lies in this block's shared memory. That block must
// be known to have started: by a cluster barrier before the first access.
ODDTILE_DEVICE ClusterAddress map_shared_rank(const void* own, int32_t rank,
                                              simulator::Site site = simulator::Site::here()) {
  return {simulator::map_shared_rank(own, rank, site)};
}

// Value number `index` of type Value (1, 2, 4, 8 or 16 bytes), counted from `base`.
template <class Value>
ODDTILE_DEVICE Value load_as(ClusterAddress base, int64_t index,
                             simulator::Site site = simulator::Site::here()) {
  Value value;
  simulator::read_cluster(&value, base.bits + uint32_t(index) * uint32_t(sizeof(Value)),
                          sizeof(Value), site);
  return value;
}
template <class Value>
ODDTILE_DEVICE void store_as(ClusterAddress base, int64_t index, const Value& value,
                             simulator::Site site = simulator::Site::here()) {
  simulator::write_cluster(base.bits + uint32_t(index) * uint32_t(sizeof(Value)), &value,
                           sizeof(Value), site);
}

// A store of 4, 8 or 16 bytes that need not be waited for here: `barrier`, in the same block as the
// place, receives its bytes when it is there.
template <class Value>
ODDTILE_DEVICE void store_async(ClusterAddress to, const Value& value, ClusterAddress barrier,
                                simulator::Site site = simulator::Site::here()) {
  simulator::store_async(to.bits, &value, sizeof(Value), barrier.bits, site);
}

// ---- barriers in another block ----
// Scopes are not modelled: all three words are as strong as the cluster's.
ODDTILE_DEVICE void mbarrier_arrive(ClusterAddress barrier,
                                    simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_arrive_cluster(barrier.bits, site);
}
// Releases this lane's stores to whoever waits there with mbarrier_wait_cluster.
ODDTILE_DEVICE void mbarrier_arrive_cluster(ClusterAddress barrier,
                                            simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_arrive_cluster(barrier.bits, site);
}
// On a barrier of this block at which lanes of other blocks arrive.
ODDTILE_DEVICE void mbarrier_wait_cluster(Mbarrier* barrier, uint32_t parity,
                                          simulator::Site site = simulator::Site::here()) {
  simulator::mbarrier_wait(barrier, parity, site);
}

}  // namespace oddtile::sim
