// A block that runs: its lanes and warps, its shared memory. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/fiber.h"
#include "kernels/sim/hopper.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/matrix_batch.h"
#include "kernels/sim/shared_memory.h"

namespace oddtile::simulator {

inline constexpr int kWarpLanes = 32;
inline constexpr int kThreadsMax = 1024;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;

enum class Word : uint8_t {
  load,
  store,
  copy_async,
  commit_copies,
  wait_copies,
  sync_block,
  sync_warp,
  shuffle,
  vote,
  load_matrix,
  mma,
  exit,
  // of sm_90
  elect,
  barrier_init,
  barrier_arrive,
  barrier_expect,
  barrier_wait,
  fence_barrier_init,
  fence_proxy,
  bulk_load,
  bulk_store,
  commit_bulk,
  wait_bulk,
  wgmma_fence,
  wgmma,
  commit_wgmma,
  wait_wgmma,
  named_barrier_sync,
  named_barrier_arrive,
  set_registers,
  store_matrix,
  cluster_arrive,
  cluster_wait,
  atomic,
  fence_device,
  await_earlier_launches,
  load_cluster,
  store_cluster,
  store_async,
  matrix_batch
};
const char* word_name(Word word);

struct PendingCopy {
  std::byte* to;
  const std::byte* from;
  int64_t group;
  uint8_t valid_bytes;
  uint8_t pieces;  // a bit for each four bytes that have not landed
};

struct Lane {
  Fiber fiber;
  std::vector<PendingCopy> copies;
  int64_t groups_committed = 0;
  int64_t groups_awaited = 0;
  int64_t last_copy_group = -1;  // group of the last copy issued, landed or not
  Site last_copy_site;
  const Waitable* waits_for = nullptr;
  Word wait_word = Word::exit;
  Site wait_site;
  int batched = -1;  // matrix words filed in the batch that it is in; -1: in none
};

// A warp is always at one rendezvous at most: the lanes that have arrived wait for the others. The
// last one computes the result for all of them. Operands are stored structure-of-arrays in the
// order of the lanes, which is what makes the matrix words vector code.
struct Warp {
  uint32_t ready = 0;    // lanes that may run
  uint32_t arrived = 0;  // lanes that wait at `word`, `site`
  uint32_t exited = 0;
  Word word = Word::exit;
  Site site;

  uint32_t ballot = 0;
  uint32_t ballot_result = 0;
  uint8_t source_lane[kWarpLanes];
  uint64_t value[kWarpLanes];
  uint64_t value_result[kWarpLanes];
  const std::byte* matrix_row[kWarpLanes];
  alignas(32) uint32_t matrix[4][kWarpLanes];
  alignas(32) uint32_t a[4][kWarpLanes];
  alignas(32) uint32_t b[4][kWarpLanes];     // of two blocks; the second is there for 16x16x16 only
  alignas(32) float sum[2][2 * kWarpLanes];  // upper and lower half of the 16x8 tile, row major

  std::vector<std::pair<uint32_t, int>> waits;  // since its lanes met: barrier and thread
  std::unique_ptr<MatrixBatch> batch;           // null until one is needed

  int64_t cluster_arrivals = 0;  // at the cluster barrier, and how many of them were awaited
  int64_t cluster_waits = 0;
};

// A block of which lanes run; with those of its cluster it is there until all of them have exited.
struct Block {
  int rank = 0;        // within its cluster
  int64_t number = 0;  // within the launch
  SharedMemory shared;
  std::unique_ptr<Lane[]> lanes;
  std::unique_ptr<Warp[]> warps;
  int lane_capacity = 0;
  uint32_t ready_warps = 0;
  int barrier_warps = 0;  // warps that have arrived at the block barrier
  int exited_lanes = 0;
  bool awaited_earlier = false;  // await_earlier_launches, by one of its lanes
  Hopper hopper;
};

}  // namespace oddtile::simulator
