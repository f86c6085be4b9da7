// Where lanes wait for one another: a warp's rendezvous, the block barrier, and what is said when
// they do not meet.
#include <bit>
#include <cstring>
#include <map>
#include <string>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

std::string place_text(Word word, Site site) {
  const char* slash = std::strrchr(site.file, '/');
  return std::string(word_name(word)) + " (" + (slash ? slash + 1 : site.file) + ":" +
         std::to_string(site.line) + ")";
}

bool is_barrier(Word word) {
  return word == Word::sync_block || word == Word::cluster_arrive || word == Word::cluster_wait;
}

std::string lanes_text(int count) {
  return std::to_string(count) + (count == 1 ? " lane" : " lanes");
}

}  // namespace

bool same_site(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

const char* word_name(Word word) {
  constexpr const char* kNames[] = {
      "load",
      "store",
      "copy_async_16",
      "commit_copies",
      "wait_copies",
      "sync_block",
      "sync_warp",
      "shuffle",
      "vote",
      "load_matrix",
      "mma",
      "exit",
      "elect",
      "barrier_init",
      "barrier_arrive",
      "barrier_expect",
      "barrier_wait",
      "fence_barrier_init",
      "fence_proxy",
      "bulk_load",
      "bulk_store",
      "commit_bulk",
      "wait_bulk",
      "wgmma_fence",
      "wgmma",
      "commit_wgmma",
      "wait_wgmma",
      "named_barrier_sync",
      "named_barrier_arrive",
      "set_registers",
      "store_matrix",
      "cluster_arrive",
      "cluster_wait",
      "atomic",
      "fence_device",
      "await_earlier_launches",
      "load_cluster",
      "store_cluster",
      "store_async",
      "matrix_batch",
  };
  return kNames[int(word)];
}

void sync_block(Site site) {
  if (running->passes(Word::sync_block, site)) running->wait_at_block_barrier(site);
}

void sync_warp(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::sync_warp, site) || !machine.arrive(Word::sync_warp, site)) return;
  if (machine.races)
    machine.races->rendezvous(machine.first_lane(machine.current_warp), kWarpLanes);
  machine.release();
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

using simulator::kAllLanes;

bool Machine::State::arrive(Word word, Site site) {
  step(word);
  if (pending_copies != 0 || !in_flight.empty()) land_something();
  Warp& own = warp();
  if (own.arrived == 0) {
    own.word = word;
    own.site = site;
  } else if (own.word != word || !simulator::same_site(own.site, site)) {
    diverged(word, site);
  }
  if (own.exited != 0) diverged(word, site);
  own.arrived |= 1u << current_lane;
  if (own.arrived == kAllLanes) {
    if (!own.waits.empty()) simulator::meet_after_waits(*this, own);
    return true;
  }
  block_lane();
  give_way();
  return false;
}

void Machine::State::block_lane() {
  warp().ready &= ~(1u << current_lane);
  if (warp().ready == 0) block->ready_warps &= ~(1u << current_warp);
}

void Machine::State::release_warp(simulator::Block& of, int which) {
  of.warps[which].arrived = 0;
  of.warps[which].ready = kAllLanes;
  of.ready_warps |= 1u << which;
}

void Machine::State::park_warp() {
  block_lane();
  give_way();
}

void Machine::State::wait_at_block_barrier(Site site) {
  if (!arrive(Word::sync_block, site)) return;
  if (++block->barrier_warps < warp_count) {
    park_warp();
    return;
  }
  block->barrier_warps = 0;
  if (races) races->rendezvous(block_first_lane, launch->threads);
  for (int which = 0; which < warp_count; ++which) release_warp(which);
  if (schedule.yields_after_barrier()) give_way();
}

void Machine::State::diverged(Word word, Site site) {
  explain_divergence(word, site);
  abandon_block();
}

void Machine::State::explain_divergence(Word word, Site site) {
  const Warp& own = warp();
  const bool barrier =
      simulator::is_barrier(word) || (own.arrived && simulator::is_barrier(own.word));
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
  for (int rank = 0; rank < blocks_together && site.line == 0; ++rank) {
    const simulator::Block& one = *blocks[size_t(rank)];
    for (int warp = 0; warp < warp_count && site.line == 0; ++warp) {
      if (one.warps[warp].arrived != 0) site = one.warps[warp].site;
    }
    for (int index = 0; index < launch->threads && site.line == 0; ++index) {
      if (one.lanes[index].waits_for != nullptr) site = one.lanes[index].wait_site;
    }
  }
  report(HazardKind::deadlock, site, who_waits_where());
  abandon_block();
}

std::string Machine::State::who_waits_where() const {
  std::map<std::string, int> waiting;
  for (int rank = 0; rank < blocks_together; ++rank) {
    const simulator::Block& one = *blocks[size_t(rank)];
    for (int warp = 0; warp < warp_count; ++warp) {
      const Warp& other = one.warps[warp];
      if (other.arrived == 0) continue;
      waiting[simulator::place_text(other.word, other.site)] += std::popcount(other.arrived);
    }
    for (int index = 0; index < launch->threads; ++index) {
      const Lane& other = one.lanes[index];
      if (other.waits_for == nullptr) continue;
      ++waiting[simulator::place_text(other.wait_word, other.wait_site) + " for " +
                other.waits_for->state_text()];
    }
  }
  std::string text;
  for (const auto& [where, count] : waiting) {
    text += simulator::lanes_text(count) + " wait at " + where + ", ";
  }
  return text + simulator::lanes_text(exited_lanes()) + " have exited";
}

}  // namespace oddtile::sim
