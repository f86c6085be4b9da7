// Runs a block: its lanes are fibers that hand over to one another directly, never through a loop
// that polls. A lane is ready, waits at its warp's rendezvous, or has exited.
#include <bit>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <tuple>

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

bool same_site(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string place_text(Word word, Site site) {
  const char* slash = std::strrchr(site.file, '/');
  return std::string(word_name(word)) + " (" + (slash ? slash + 1 : site.file) + ":" +
         std::to_string(site.line) + ")";
}

std::string lanes_text(int count) {
  return std::to_string(count) + (count == 1 ? " lane" : " lanes");
}

}  // namespace

const char* word_name(Word word) {
  constexpr const char* kNames[] = {"load",        "store",       "copy_async_16", "commit_copies",
                                    "wait_copies", "sync_block",  "sync_warp",     "shuffle",
                                    "vote",        "load_matrix", "mma",           "exit"};
  return kNames[int(word)];
}

bool run(sim::Machine& machine, const Launch& launch) {
  return machine.state().run(launch);
}

void sync_block(Site site) {
  running->wait_at_block_barrier(site);
}

void sync_warp(Site site) {
  if (running->arrive(Word::sync_warp, site)) running->release();
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
  until_interruption = schedule.next_interruption();
  ++counters.launches;
  counters.blocks += wanted.blocks;

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
  trace ^= uint64_t(block) << 32;

  start_lanes();

  if (exited_lanes != launch->threads) {  // abandoned: whoever has not parked starts afresh
    for (int lane = 0; lane < launch->threads; ++lane) {
      if (warps[lane / kWarpLanes].exited >> (lane % kWarpLanes) & 1) continue;
      lanes[lane].fiber.start_over(simulator::lane_body, nullptr);
    }
  }
  forget_copies();
  if (!shared.guards_intact()) {
    report(HazardKind::out_of_bounds, {}, "plain code writes outside the block's shared memory");
    shared.resize(shared.bytes());
  }
}

void Machine::State::start_lanes() {
  current_warp = schedule.first_warp(warp_count);
  current_lane = schedule.first_lane();
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
  until_interruption = schedule.next_interruption();
  give_way();
}

void Machine::State::give_way() {
  if (ready_warps == 0) stuck();
  const int next_warp = schedule.next_warp(ready_warps, current_warp);
  const int next_lane = schedule.next_lane(warps[next_warp].ready, current_lane);
  if (next_warp == current_warp && next_lane == current_lane) return;
  Lane& self = lane();
  current_warp = next_warp;
  current_lane = next_lane;
  place.thread = next_warp * kWarpLanes + next_lane;
  simulator::switch_fiber(self.fiber, lane().fiber);
}

bool Machine::State::arrive(Word word, Site site) {
  step(word);
  Warp& own = warp();
  if (own.arrived == 0) {
    own.word = word;
    own.site = site;
  } else if (own.word != word || !simulator::same_site(own.site, site)) {
    diverged(word, site);
  }
  if (own.exited != 0) diverged(word, site);
  own.arrived |= 1u << current_lane;
  if (own.arrived == kAllLanes) return true;
  own.ready &= ~(1u << current_lane);
  if (own.ready == 0) ready_warps &= ~(1u << current_warp);
  give_way();
  return false;
}

void Machine::State::release() {
  warp().arrived = 0;
  warp().ready = kAllLanes;
  ready_warps |= 1u << current_warp;
}

void Machine::State::wait_at_block_barrier(Site site) {
  if (!arrive(Word::sync_block, site)) return;
  if (++barrier_warps < warp_count) {
    warp().ready &= ~(1u << current_lane);
    if (warp().ready == 0) ready_warps &= ~(1u << current_warp);
    give_way();
    return;
  }
  barrier_warps = 0;
  for (int warp = 0; warp < warp_count; ++warp) {
    warps[warp].arrived = 0;
    warps[warp].ready = kAllLanes;
  }
  ready_warps = uint32_t((uint64_t(1) << warp_count) - 1);
  if (schedule.yields_after_barrier()) give_way();
}

void Machine::State::diverged(Word word, Site site) {
  explain_divergence(word, site);
  abandon_block();
}

void Machine::State::explain_divergence(Word word, Site site) {
  const Warp& own = warp();
  const bool barrier = word == Word::sync_block || (own.arrived && own.word == Word::sync_block);
  std::string detail =
      word == Word::exit ? "lane exits" : "lane is at " + simulator::place_text(word, site);
  if (own.arrived != 0) {
    detail += ", " + simulator::lanes_text(std::popcount(own.arrived)) + " of its warp wait at " +
              simulator::place_text(own.word, own.site);
  }
  if (own.exited != 0) {
    detail += ", " + simulator::lanes_text(std::popcount(own.exited)) + " of its warp have exited";
  }
  report(barrier ? HazardKind::barrier_divergence : HazardKind::collective_divergence,
         word == Word::exit ? own.site : site, detail);
}

void Machine::State::stuck() {
  Site site;
  for (int warp = 0; warp < warp_count && site.line == 0; ++warp) {
    if (warps[warp].arrived != 0) site = warps[warp].site;
  }
  report(HazardKind::deadlock, site, who_waits_where());
  abandon_block();
}

std::string Machine::State::who_waits_where() const {
  std::map<std::string, int> waiting;
  for (int warp = 0; warp < warp_count; ++warp) {
    const Warp& other = warps[warp];
    if (other.arrived == 0) continue;
    waiting[simulator::place_text(other.word, other.site)] += std::popcount(other.arrived);
  }
  std::string text;
  for (const auto& [where, count] : waiting) {
    text += simulator::lanes_text(count) + " wait at " + where + ", ";
  }
  return text + simulator::lanes_text(exited_lanes) + " have exited";
}

void Machine::State::abandon_block() {
  warp().exited &= ~(1u << current_lane);  // not parked: its stack ends here
  simulator::switch_fiber(lane().fiber, host);
  ODDTILE_ASSERT(!"an abandoned lane was resumed");
  __builtin_unreachable();
}

}  // namespace oddtile::sim
