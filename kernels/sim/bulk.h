// Bulk copies: boxes of tensors and plain runs of bytes, to shared memory (they complete at a
// barrier) and from it (they complete group by group, for the lane that issued them).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/race.h"
#include "kernels/sim/tensor_map.h"

namespace oddtile::simulator {

class BulkRead;   // from shared memory into the copy's own buffer
class BulkWrite;  // from there to global memory

// A lane's stores. Groups are numbered from 0; work of group g is over once g + 1 is awaited.
struct BulkGroups {
  struct Store {
    int64_t group;
    std::shared_ptr<BulkRead> read;
    std::shared_ptr<BulkWrite> write;
    // At the end of the block: what has been read is written.
    void finish(sim::Machine::State& machine) const;
  };
  std::deque<Store> stores;
  int64_t committed = 0;
  int64_t reads_awaited = 0;
  int64_t last_group = -1;  // of the last store issued, committed or not
  Site last_site;
  Agent reads = 0;  // 0: not needed yet
  Agent writes = 0;
};

}  // namespace oddtile::simulator
