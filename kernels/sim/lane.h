// What the dialect's words ask of the simulator. Each call is made by the lane that runs now; those
// that take a Site are words of the kernel and know where in its source they stand. Kernels live in
// oddtile::sim; the namespace here is another one, so that they cannot collide with its names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sim/machine.h"

namespace oddtile::simulator {

struct Site {
  const char* file = "";
  int line = 0;
  // As a default argument this is the place of the call.
  static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// Where the running lane is.
struct Place {
  int32_t thread;
  int32_t threads;
  int64_t block;
  int64_t blocks;
  std::byte* shared;
  int32_t rank;            // of the block within its cluster
  int32_t cluster_blocks;  // of the cluster
};
extern constinit thread_local Place place;

// ---- global memory: checked, counted; a bad read gives 0xFF bytes, a bad write is dropped ----
void read_global(void* to, uintptr_t from, int bytes, Site site);
// `elements` of `element_bytes` each have an influence, a bit each.
void read_covering(void* to, uintptr_t from, int bytes, uint32_t elements, int element_bytes,
                   Site site);
void write_global(uintptr_t to, const void* from, int bytes, Site site);
// Nothing is read; but of the aligned `bytes` around the address one must be such that it may be
// touched: nothing else would show a fetch of what has nothing to do with the tensors.
void prefetch_global(uintptr_t address, int bytes, Site site);

// ---- asynchronous copies of 16 bytes ----
void copy_async(void* to, uintptr_t from, int valid_bytes, Site site);
void commit_copies(Site site);
void wait_copy_groups(int pending, Site site);

// ---- rendezvous ----
void sync_block(Site site);
void sync_warp(Site site);
uint64_t exchange(uint64_t value, int source_lane, Site site);
uint32_t ballot(bool value, Site site);
void read_matrix_4(uint32_t (&to)[4], const void* shared_row, bool transposed, Site site);
// The operands of one lane; `bfloat16` chooses between the two 16-bit types.
void multiply_16x8x16(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                      bool bfloat16, Site site);

// The same for two blocks of b, as read_matrix_4 brings them.
void multiply_16x16x16(float (&left)[4], float (&right)[4], const uint32_t (&a)[4],
                       const uint32_t (&b)[4], bool bfloat16, Site site);
// Between the two, read_matrix_4 and multiply_16x16x16 may take effect at the end only.
void begin_matrix_batch();
void end_matrix_batch(Site site);

// ---- arithmetic ----
void count_flops(int count);
float exp2_flushed(float x);
float log2_flushed(float x);

// ---- launches ----
inline constexpr int64_t kSharedBytesMax = 227 * 1024;  // of a block; sm_90; sm_80 has 163 KiB
struct Launch {
  const char* kernel_name;
  int64_t blocks;
  int32_t threads;
  int64_t shared_bytes;
  void (*enter)(const void* argument);  // runs the kernel as one lane
  const void* argument;
  int32_t cluster_blocks = 1;  // that run together; divides `blocks`
  bool early = false;          // beside the last clear_beside
};
// Runs all blocks to completion; false where the shape is impossible.
bool run(sim::Machine& machine, const Launch& launch);
// What an early launch, should it be the next one, has to await.
void clear_beside(sim::Machine& machine, uintptr_t address, int64_t bytes);

}  // namespace oddtile::simulator
