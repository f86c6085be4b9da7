// What the dialect's words of sm_90 ask of the simulator; like lane.h, which has the others.
#pragma once

#include <cstdint>

#include "kernels/base/matrix_descriptor.h"
#include "kernels/base/tensor_map.h"
#include "kernels/sim/lane.h"

namespace oddtile::simulator {

// ---- barriers in shared memory ----
void mbarrier_init(void* barrier, int32_t arrivals, Site site);
void fence_mbarrier_init(Site site);
void mbarrier_invalidate(void* barrier, Site site);
void mbarrier_arrive(void* barrier, int32_t count, Site site);
void mbarrier_expect(void* barrier, int64_t bytes, Site site);
void mbarrier_arrive_expect(void* barrier, int64_t bytes, Site site);
bool mbarrier_try_wait(void* barrier, uint32_t parity, Site site);
void mbarrier_wait(void* barrier, uint32_t parity, Site site);

// ---- named barriers, registers, fences, whole warps ----
void named_barrier_sync(int id, int threads, Site site);
void named_barrier_arrive(int id, int threads, Site site);
void set_registers(int registers, bool increase, Site site);
enum class ProxyFence : uint8_t { all, shared, global };
void fence_async_proxy(ProxyFence which, Site site);
bool elect_one(Site site);
void write_matrix_4(void* shared_row, const uint32_t (&from)[4], bool transposed, Site site);

// ---- between blocks ----
int32_t atomic_add(uintptr_t address, int32_t value, Site site);
void fence_device(Site site);
void await_earlier_launches(Site site);

// ---- clusters; an address is 32 bits that map_shared_rank has made ----
void cluster_arrive(Site site);
void cluster_wait(Site site);
uint32_t map_shared_rank(const void* own, int rank, Site site);
void read_cluster(void* to, uint32_t from, int bytes, Site site);
void write_cluster(uint32_t to, const void* from, int bytes, Site site);
void mbarrier_arrive_cluster(uint32_t barrier, Site site);
void store_async(uint32_t to, const void* from, int bytes, uint32_t barrier, Site site);

// ---- bulk copies; `at` has as many coordinates as the map's rank must be ----
void load_tensor_bulk(void* to, const TensorMap* map, const int32_t* at, int rank, void* barrier,
                      Site site);
// To the same place in every block of the cluster whose bit is set in `ranks`.
void load_tensor_multicast(void* to, const TensorMap* map, const int32_t* at, int rank,
                           void* barrier, uint32_t ranks, Site site);
void store_tensor_bulk(const TensorMap* map, const int32_t* at, int rank, const void* from,
                       Site site);
void load_bulk(void* to, uintptr_t from, int64_t bytes, void* barrier, Site site);
void store_bulk(uintptr_t to, const void* from, int64_t bytes, Site site);
void commit_bulk(Site site);
void wait_bulk(int pending, bool reads_only, Site site);

// ---- products of a warpgroup; `sum` and `a_registers` are the lane's own and stay where they are
// until the product is awaited ----
struct WgmmaOperands {
  float* sum;
  int length;                   // of sum: half the columns
  const uint32_t* a_registers;  // null: `a` says where
  MatrixDescriptor a;
  MatrixDescriptor b;
  Major a_major;
  Major b_major;
  bool accumulate;
  bool bfloat16;
};
void wgmma(const WgmmaOperands& operands, Site site);
void wgmma_fence(Site site);
void wgmma_commit(Site site);
void wgmma_wait(int pending, Site site);
void wgmma_ready(const float* sum, Site site);

}  // namespace oddtile::simulator
