// Runs a block: its lanes are fibers that hand over to one another directly, never through a loop
// that polls. A lane is ready, waits at its warp's rendezvous, or has exited.
#include <exception>
#include <string>

#include "kernels/base/assert.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

constinit thread_local Place place{};
constinit thread_local sim::Machine::State* running = nullptr;

namespace {

// A lane's fiber outlives the block: it parks at the end of the loop and is resumed by the next
// block. Everything that depends on the thread is looked up anew in each turn (never inlined here),
// since the machine may by then be used from another thread.
[[gnu::noinline]] void run_lane_once() {
  if (!running->enter_kernel()) running->abandon_block();
  running->exit_lane();
}
void lane_body(void*) {
  for (;;) run_lane_once();
}

}  // namespace

bool run(sim::Machine& machine, const Launch& launch) {
  return machine.state().run(launch);
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

using simulator::kAllLanes;
using simulator::kWarpLanes;
using simulator::place;

bool Machine::State::run(const simulator::Launch& wanted) {
  launch = &wanted;
  place = {0, wanted.threads, 0, wanted.blocks, nullptr};
  const bool possible = wanted.blocks > 0 && wanted.blocks <= 0x7FFFFFFF && wanted.threads > 0 &&
                        wanted.threads <= simulator::kThreadsMax &&
                        wanted.threads % kWarpLanes == 0 && wanted.shared_bytes >= 0 &&
                        wanted.shared_bytes <= simulator::kSharedBytesMax;
  if (!possible) {
    report(HazardKind::bad_launch, {},
           std::to_string(wanted.blocks) + " blocks of " + std::to_string(wanted.threads) +
               " threads with " + std::to_string(wanted.shared_bytes) + " bytes of shared memory");
    return false;
  }
  if (lane_capacity < wanted.threads) {
    lanes = std::make_unique<Lane[]>(size_t(wanted.threads));
    warps = std::make_unique<Warp[]>(size_t(wanted.threads / kWarpLanes));
    lane_capacity = wanted.threads;
    for (int lane = 0; lane < lane_capacity; ++lane) {
      lanes[lane].fiber.start_over(simulator::lane_body, nullptr);
    }
  }
  warp_count = wanted.threads / kWarpLanes;
  shared.resize(wanted.shared_bytes);
  schedule.begin_launch(wanted.blocks, warp_count);
  ++counters.launches;
  counters.blocks += wanted.blocks;

  if (races) races->begin_launch();

  State* outer = simulator::running;
  simulator::running = this;
  for (int64_t turn = 0; turn < wanted.blocks; ++turn) run_block(schedule.block_at(turn));
  simulator::running = outer;
  return true;
}

void Machine::State::run_block(int64_t block) {
  place = {0, launch->threads, block, launch->blocks, shared.begin()};
  shared.poison();
  for (int warp = 0; warp < warp_count; ++warp) {
    warps[warp].ready = kAllLanes;
    warps[warp].arrived = 0;
    warps[warp].exited = 0;
    warps[warp].ballot = 0;
  }
  ready_warps = uint32_t((uint64_t(1) << warp_count) - 1);
  barrier_warps = 0;
  exited_lanes = 0;
  if (races) {
    races->begin_block(launch->threads, reinterpret_cast<uintptr_t>(shared.begin()), shared.bytes(),
                       int32_t(block));
  }
  hopper.begin_block(warp_count);
  trace ^= uint64_t(block) << 32;

  start_lanes();

  if (exited_lanes == launch->threads) {
    hopper.end_block(*this);
  } else {  // abandoned: whoever has not parked starts afresh
    for (int lane = 0; lane < launch->threads; ++lane) {
      if (warps[lane / kWarpLanes].exited >> (lane % kWarpLanes) & 1) continue;
      lanes[lane].fiber.start_over(simulator::lane_body, nullptr);
      lanes[lane].waits_for = nullptr;
    }
  }
  forget_copies();
  in_flight.clear();
  if (!shared.guards_intact()) {
    report(HazardKind::out_of_bounds, {}, "plain code writes outside the block's shared memory");
    shared.resize(shared.bytes());
  }
}

void Machine::State::start_lanes() {
  current_warp = schedule.first_warp(warp_count);
  current_lane = schedule.first_lane();
  until_interruption = schedule.next_interruption(current_warp);
  place.thread = current_warp * kWarpLanes + current_lane;
  simulator::switch_fiber(host, lane().fiber);
}

// An abandoned lane's frames are dropped without destructors, so what owns memory (texts, the
// exception) stays in functions that return before: enter_kernel and explain_divergence.
bool Machine::State::enter_kernel() {
  try {
    launch->enter(launch->argument);
    return true;
  } catch (const std::exception& error) {
    report(HazardKind::kernel_exception, {}, error.what());
  } catch (...) {
    report(HazardKind::kernel_exception, {}, "not a std::exception");
  }
  return false;
}

void Machine::State::exit_lane() {
  step(Word::exit);
  Lane& self = lane();
  if (self.last_copy_group >= self.groups_awaited) {
    report(HazardKind::pending_copies_at_exit, self.last_copy_site,
           "exits without having awaited this copy");
  }
  hopper.exit_lane(*this);
  Warp& own = warp();
  if (own.arrived != 0) diverged(Word::exit, {});
  own.exited |= 1u << current_lane;
  own.ready &= ~(1u << current_lane);
  if (own.ready == 0) ready_warps &= ~(1u << current_warp);
  if (++exited_lanes == launch->threads) {
    simulator::switch_fiber(self.fiber, host);
  } else {
    give_way();
  }
}

void Machine::State::interrupt() {
  schedule.interrupted(current_warp);
  until_interruption = schedule.next_interruption(current_warp);
  give_way();
}

void Machine::State::give_way() {
  if (ready_warps == 0 && !land_for_the_blocked()) stuck();
  const int next_warp = schedule.next_warp(ready_warps, current_warp);
  const int next_lane = schedule.next_lane(warps[next_warp].ready, current_lane);
  if (next_warp == current_warp && next_lane == current_lane) return;
  Lane& self = lane();
  current_warp = next_warp;
  current_lane = next_lane;
  if (schedule.delays()) until_interruption = schedule.next_interruption(next_warp);
  place.thread = next_warp * kWarpLanes + next_lane;
  simulator::switch_fiber(self.fiber, lane().fiber);
}

void Machine::State::abandon_block() {
  warp().exited &= ~(1u << current_lane);  // not parked: its stack ends here
  simulator::switch_fiber(lane().fiber, host);
  ODDTILE_ASSERT(!"an abandoned lane was resumed");
  __builtin_unreachable();
}

}  // namespace oddtile::sim
