#include "kernels/sim/named_barrier.h"

#include <algorithm>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRegistersOfMultiprocessor = 65536;
constexpr int kRegistersMax = 256;
constexpr int kRegisterUnit = 8;

void report_counts(sim::Machine::State& machine, int id, const NamedBarrier& barrier, int threads,
                   Site site) {
  machine.report(sim::HazardKind::barrier_count, site,
                 "named barrier " + std::to_string(id) + " for " + std::to_string(threads) +
                     " lanes of " + std::to_string(machine.launch->threads) + "; " +
                     std::to_string(barrier.arrived) + " wait there for " +
                     std::to_string(barrier.threads));
}

// By the last lane of a warp. Returns whether the barrier is complete.
bool join_barrier(sim::Machine::State& machine, int id, int threads, Site site) {
  NamedBarrier& barrier = machine.block->hopper.named_barriers[id];
  if ((barrier.arrived != 0 && barrier.threads != threads) || threads > machine.launch->threads ||
      threads <= 0) {
    report_counts(machine, id, barrier, threads, site);
  }
  if (barrier.arrived == 0) barrier.threads = threads;
  barrier.last_site = site;
  if (machine.races) {
    machine.races->release(barrier.arriving, machine.first_lane(machine.current_warp), kWarpLanes);
  }
  barrier.arrived += kWarpLanes;
  return barrier.arrived >= barrier.threads;
}

void open_barrier(sim::Machine::State& machine, int id, int syncing_warp) {
  NamedBarrier& barrier = machine.block->hopper.named_barriers[id];
  if (syncing_warp >= 0) barrier.parked.push_back(syncing_warp);
  for (const int warp : barrier.parked) {
    if (machine.races) {
      machine.races->acquire(barrier.arriving, machine.first_lane(warp), kWarpLanes);
    }
    machine.release_warp(warp);
  }
  barrier.parked.clear();
  barrier.arriving = {};
  barrier.arrived = 0;
}

}  // namespace

void named_barrier_sync(int id, int threads, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::named_barrier_sync, site)) return;
  if (!machine.arrive(Word::named_barrier_sync, site)) return;
  if (join_barrier(machine, id, threads, site)) {
    open_barrier(machine, id, machine.current_warp);
    if (machine.schedule.yields_after_barrier()) machine.give_way();
    return;
  }
  machine.block->hopper.named_barriers[id].parked.push_back(machine.current_warp);
  machine.park_warp();
}

void named_barrier_arrive(int id, int threads, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::named_barrier_arrive, site)) return;
  if (!machine.arrive(Word::named_barrier_arrive, site)) return;
  if (join_barrier(machine, id, threads, site)) open_barrier(machine, id, -1);
  machine.release();
}

void RegisterPool::reset(int warps) {
  const int lanes = warps * kWarpLanes;
  const int entry = kRegistersOfMultiprocessor / lanes / kRegisterUnit * kRegisterUnit;
  of_warp.assign(size_t(warps), std::min(entry, kRegistersMax));
  free = 0;
  waiting.clear();
}

std::string RegisterPool::state_text() const {
  return "registers: " + std::to_string(free) + " free for a warp";
}

void set_registers(int registers, bool increase, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::set_registers, site)) return;
  if (!machine.arrive(Word::set_registers, site)) return;
  RegisterPool& pool = machine.block->hopper.registers;
  int& own = pool.of_warp[size_t(machine.current_warp)];
  if (increase ? registers < own : registers > own) {
    machine.report(sim::HazardKind::barrier_count, site,
                   "a warp of " + std::to_string(own) + " registers asks to " +
                       (increase ? "increase" : "decrease") + " them to " +
                       std::to_string(registers));
  } else {
    while (registers - own > pool.free) machine.wait_on(pool, Word::set_registers, site);
    pool.free -= registers - own;
    own = registers;
    machine.wake(pool);
  }
  machine.release();
}

void fence_async_proxy(ProxyFence which, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::fence_proxy, site)) return;
  machine.begin_word(Word::fence_proxy);
  if (which != ProxyFence::global) machine.block->hopper.mbarriers.fence(machine.lane_index());
  if (!machine.races) return;
  const int lane = machine.lane_index();
  if (which != ProxyFence::global) machine.races->fence_proxy_async(lane, Memory::shared);
  if (which != ProxyFence::shared) machine.races->fence_proxy_async(lane, Memory::global);
}

// Which lane it is, kernels must not assume; within a block it stays the same.
bool elect_one(Site site) {
  sim::Machine::State& machine = *running;
  if (machine.arrive(Word::elect, site)) machine.release();
  int& elected = machine.block->hopper.elected_lane;
  if (elected < 0) elected = machine.schedule.first_lane();
  return machine.current_lane == elected;
}

}  // namespace oddtile::simulator
