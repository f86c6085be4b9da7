// Runs blocks, those of a cluster together: their lanes are fibers that hand over to one another
// directly, never through a loop that polls. A lane is ready, waits at its warp's rendezvous, or
// has exited.
#include <exception>
#include <string>
#include <utility>

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

std::string shape_text(const Launch& launch) {
  std::string text = std::to_string(launch.blocks) + " blocks of " +
                     std::to_string(launch.threads) + " threads with " +
                     std::to_string(launch.shared_bytes) + " bytes of shared memory";
  if (launch.cluster_blocks == 1) return text;
  return text + " in clusters of " + std::to_string(launch.cluster_blocks);
}

}  // namespace

bool run(sim::Machine& machine, const Launch& launch) {
  return machine.state().run(launch);
}
void clear_beside(sim::Machine& machine, uintptr_t address, int64_t bytes) {
  machine.state().cleared_beside = {address, address + uintptr_t(bytes)};
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

using simulator::kAllLanes;
using simulator::kWarpLanes;
using simulator::place;

bool Machine::State::run(const simulator::Launch& wanted) {
  launch = &wanted;
  place = {0, wanted.threads, 0, wanted.blocks, nullptr, 0, wanted.cluster_blocks};
  const bool possible =
      wanted.blocks > 0 && wanted.blocks <= 0x7FFFFFFF && wanted.threads > 0 &&
      wanted.threads <= simulator::kThreadsMax && wanted.threads % kWarpLanes == 0 &&
      wanted.shared_bytes >= 0 && wanted.shared_bytes <= simulator::kSharedBytesMax &&
      wanted.cluster_blocks > 0 && wanted.cluster_blocks <= simulator::kClusterBlocksMax &&
      wanted.blocks % wanted.cluster_blocks == 0;
  if (!possible) {
    hazards.clear();
    report(HazardKind::bad_launch, {}, simulator::shape_text(wanted));
    add({0, 0, std::move(hazards)});
    return false;
  }
  warp_count = wanted.threads / kWarpLanes;
  make_blocks(wanted.cluster_blocks);
  const int64_t clusters = wanted.blocks / wanted.cluster_blocks;
  launch_schedule.begin_launch(clusters, warp_count, wanted.cluster_blocks);
  ++counters.launches;
  counters.blocks += wanted.blocks;

  if (races) races->begin_launch();

  State* outer = simulator::running;
  simulator::running = this;
  if (!wanted.early) cleared_beside = {};
  run_turns(clusters);
  cleared_beside = {};
  simulator::running = outer;
  return true;
}

void Machine::State::make_blocks(int count) {
  blocks_together = count;
  while (blocks.size() < size_t(count)) blocks.push_back(std::make_unique<simulator::Block>());
  for (int rank = 0; rank < count; ++rank) {
    simulator::Block& made = *blocks[size_t(rank)];
    made.rank = rank;
    made.shared.resize(launch->shared_bytes);
    if (made.lane_capacity >= launch->threads) continue;
    made.lanes = std::make_unique<Lane[]>(size_t(launch->threads));
    made.warps = std::make_unique<Warp[]>(size_t(warp_count));
    made.lane_capacity = launch->threads;
    for (int lane = 0; lane < made.lane_capacity; ++lane) {
      made.lanes[lane].fiber.start_over(simulator::lane_body, nullptr);
    }
  }
}

void Machine::State::run_together(int64_t first_block) {
  if (races) races->begin_blocks(blocks_together * launch->threads, int32_t(first_block));
  for (int rank = 0; rank < blocks_together; ++rank) {
    begin_block(*blocks[size_t(rank)], first_block + rank);
  }
  cluster_barrier = {};
  start_lanes();
  const bool abandoned = exited_lanes() != launch->threads * blocks_together;
  for (int rank = 0; rank < blocks_together; ++rank) {
    block = blocks[size_t(rank)].get();
    if (abandoned) restart_abandoned(*block);
    forget_copies();
    if (block->shared.guards_intact()) continue;
    report(HazardKind::out_of_bounds, {}, "plain code writes outside the block's shared memory");
    block->shared.resize(block->shared.bytes());
  }
  pending_copies = 0;
  in_flight.clear();
}

void Machine::State::begin_block(simulator::Block& fresh, int64_t number) {
  fresh.number = number;
  fresh.shared.poison();
  for (int warp = 0; warp < warp_count; ++warp) {
    Warp& own = fresh.warps[warp];
    own.ready = kAllLanes;
    own.arrived = own.exited = own.ballot = 0;
    own.cluster_arrivals = own.cluster_waits = 0;
    own.waits.clear();
  }
  fresh.ready_warps = uint32_t((uint64_t(1) << warp_count) - 1);
  fresh.barrier_warps = 0;
  fresh.exited_lanes = 0;
  fresh.awaited_earlier = false;
  if (races) {
    races->add_block(reinterpret_cast<uintptr_t>(fresh.shared.begin()), fresh.shared.bytes());
  }
  fresh.hopper.begin_block(warp_count);
}

void Machine::State::restart_abandoned(simulator::Block& left) {
  for (int warp = 0; warp < warp_count; ++warp) left.warps[warp].batch.reset();
  for (int lane = 0; lane < launch->threads; ++lane) {
    if (left.warps[lane / kWarpLanes].exited >> (lane % kWarpLanes) & 1) continue;
    left.lanes[lane].fiber.start_over(simulator::lane_body, nullptr);
    left.lanes[lane].waits_for = nullptr;
    left.lanes[lane].batched = -1;
  }
}

void Machine::State::start_lanes() {
  enter_block(blocks_together == 1 ? 0 : schedule.first_warp(blocks_together));
  current_warp = schedule.first_warp(warp_count);
  current_lane = schedule.first_lane();
  until_interruption = schedule.next_interruption(current_warp);
  place.thread = thread_index();
  simulator::switch_fiber(host, lane().fiber);
}

void Machine::State::enter_block(int rank) {
  block = blocks[size_t(rank)].get();
  block_first_lane = rank * launch->threads;
  place.block = block->number;
  place.shared = block->shared.begin();
  place.rank = rank;
  trace ^= uint64_t(block->number) << 32;
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
  block->hopper.exit_lane(*this);
  Warp& own = warp();
  if (own.arrived != 0) diverged(Word::exit, {});
  own.exited |= 1u << current_lane;
  block_lane();
  if (races && blocks_together > 1) races->exit_lane(lane_index());
  if (own.exited == kAllLanes) simulator::exit_warp(*this);
  if (++block->exited_lanes == launch->threads) {
    block->hopper.end_block(*this);
    if (blocks_together > 1) simulator::exit_block(*this);
  }
  if (exited_lanes() == launch->threads * blocks_together) {
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
  if (nobody_can_run() && !land_for_the_blocked()) stuck();
  Lane& self = lane();
  const int rank = blocks_together == 1 ? 0 : next_block();
  const bool stays = rank == block->rank;
  if (!stays) enter_block(rank);
  const int next_warp = schedule.next_warp(block->ready_warps, current_warp);
  const int next_lane = schedule.next_lane(block->warps[next_warp].ready, current_lane);
  if (stays && next_warp == current_warp && next_lane == current_lane) return;
  current_warp = next_warp;
  current_lane = next_lane;
  if (schedule.delays()) until_interruption = schedule.next_interruption(next_warp);
  place.thread = thread_index();
  simulator::switch_fiber(self.fiber, lane().fiber);
}

bool Machine::State::nobody_can_run() const {
  for (int rank = 0; rank < blocks_together; ++rank) {
    if (blocks[size_t(rank)]->ready_warps != 0) return false;
  }
  return true;
}

int Machine::State::next_block() {
  uint32_t ready = 0;
  for (int rank = 0; rank < blocks_together; ++rank) {
    ready |= uint32_t(blocks[size_t(rank)]->ready_warps != 0) << rank;
  }
  return schedule.next_block(ready, block->rank);
}

int Machine::State::exited_lanes() const {
  int count = 0;
  for (int rank = 0; rank < blocks_together; ++rank) count += blocks[size_t(rank)]->exited_lanes;
  return count;
}

void Machine::State::abandon_block() {
  warp().exited &= ~(1u << current_lane);  // not parked: its stack ends here
  simulator::switch_fiber(lane().fiber, host);
  ODDTILE_ASSERT(!"an abandoned lane was resumed");
  __builtin_unreachable();
}

}  // namespace oddtile::sim
