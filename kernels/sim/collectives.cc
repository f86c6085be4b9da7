// Warp collectives: each lane files its operand; the last one computes for all 32.
#include "kernels/sim/state.h"

namespace oddtile::simulator {

uint64_t exchange(uint64_t value, int source_lane, Site site) {
  sim::Machine::State& machine = *running;
  Warp& warp = machine.warp();
  const int self = machine.current_lane;
  warp.value[self] = value;
  warp.source_lane[self] = uint8_t(source_lane & 31);
  if (machine.arrive(Word::shuffle, site)) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      warp.value_result[lane] = warp.value[warp.source_lane[lane]];
    }
    machine.release();
  }
  return warp.value_result[self];
}

uint32_t ballot(bool value, Site site) {
  sim::Machine::State& machine = *running;
  Warp& warp = machine.warp();
  warp.ballot |= uint32_t(value) << machine.current_lane;
  if (machine.arrive(Word::vote, site)) {
    warp.ballot_result = warp.ballot;
    warp.ballot = 0;
    machine.release();
  }
  return warp.ballot_result;
}

}  // namespace oddtile::simulator
