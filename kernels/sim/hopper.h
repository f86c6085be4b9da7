// What the words of sm_90 keep for the block that runs now.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/sim/bulk.h"
#include "kernels/sim/mbarrier.h"
#include "kernels/sim/named_barrier.h"
#include "kernels/sim/wgmma.h"

namespace oddtile::simulator {

// Within the block's shared memory, as descriptors and swizzles see it.
uint32_t shared_address(const sim::Machine::State& machine, const void* pointer);

class Hopper {
 public:
  // Everything of the block before is forgotten.
  void begin_block(int warps);
  // What the running lane leaves unfinished.
  void exit_lane(sim::Machine::State& machine);
  // After the last lane: lands what is allowed to, reports the rest.
  void end_block(sim::Machine::State& machine);

  BulkGroups& bulk_groups(int lane);
  Warpgroup& warpgroup(int number);
  WgmmaOperands* wgmma_operands(int warp);

  Mbarriers mbarriers;
  NamedBarrier named_barriers[16];
  RegisterPool registers;
  int elected_lane = -1;  // drawn when a block first asks

 private:
  void report_bulk(sim::Machine::State& machine);
  void report_products(sim::Machine::State& machine);

  std::vector<BulkGroups> bulk_;  // by lane; empty until one is needed
  std::vector<std::unique_ptr<Warpgroup>> warpgroups_;
  std::vector<WgmmaOperands> operands_;  // by lane: filed until the warp is complete
};

}  // namespace oddtile::simulator
