// Atomic operations on global memory. They never race with one another; plain accesses race with
// them.
#include <cstring>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

int32_t atomic_add(uintptr_t address, int32_t value, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::atomic);
  machine.await_earlier_blocks();
  constexpr int kBytes = sizeof(int32_t);
  if (address % kBytes != 0) {
    machine.report(sim::HazardKind::misaligned, site,
                   machine.explain_access("adds to", address, kBytes));
    return -1;
  }
  if (!machine.writable(address, kBytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   machine.explain_access("adds to", address, kBytes));
    return -1;
  }
  machine.check_awaited(address, kBytes, site);
  machine.counters.bytes_read += kBytes;
  machine.counters.bytes_written += kBytes;
  if (machine.races) machine.races->atomic(machine.lane_index(), address, kBytes, site);
  int32_t before;
  std::memcpy(&before, reinterpret_cast<const void*>(address), kBytes);
  const int32_t after = int32_t(uint32_t(before) + uint32_t(value));
  std::memcpy(reinterpret_cast<void*>(address), &after, kBytes);
  return before;
}

void await_earlier_launches(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::await_earlier_launches, site)) return;
  machine.begin_word(Word::await_earlier_launches);
  machine.block->awaited_earlier = true;
}

// Memory is strongly ordered here; what the fence is for, only the clocks know.
void fence_device(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::fence_device, site)) return;
  machine.begin_word(Word::fence_device);
  if (machine.races) machine.races->fence_device(machine.lane_index());
}

}  // namespace oddtile::simulator
