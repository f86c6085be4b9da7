// Blocks that run together: the cluster's barrier, and shared memory as the other blocks see it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/sim/lane.h"
#include "kernels/sim/race.h"

namespace oddtile::simulator {

inline constexpr int kClusterBlocksMax = 16;  // more than 8 only where the kernel asks for it

// barrier.cluster: every warp of every block arrives, then waits. Phases are counted from 0.
struct ClusterBarrier {
  int64_t phase = 0;  // that is going on
  int arrived_warps = 0;
  int exited_warps = 0;
  Site last_site;                           // of an arrival
  Published arriving;                       // into the phase that is going on
  Published completed;                      // of the phase before
  std::vector<std::pair<int, int>> parked;  // rank and warp
};

// Whether the running lane may touch shared memory of that block now; a report where it may not.
// `awaited`: by a barrier of that block, which therefore does not exit before.
bool reach_block(sim::Machine::State& machine, int rank, const char* verb, Site site,
                 bool awaited = false);

// The running lane has exited as the last one of its warp, or of its block.
void exit_warp(sim::Machine::State& machine);
void exit_block(sim::Machine::State& machine);

}  // namespace oddtile::simulator
