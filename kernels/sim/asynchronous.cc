#include "kernels/sim/asynchronous.h"

#include <numeric>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

Asynchronous::Asynchronous(int pieces) : left_(size_t(pieces)) {
  std::iota(left_.begin(), left_.end(), 0);
}

void Asynchronous::land_nth(int nth) {
  const int piece = left_[size_t(nth)];
  left_.erase(left_.begin() + nth);
  land(piece);
  if (left_.empty()) finish();
}

void Asynchronous::land_all() {
  while (!landed()) land_nth(0);
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

void Machine::State::start(std::shared_ptr<simulator::Asynchronous> work) {
  work->rank = block->rank;
  if (work->landed()) {
    work->finish();
  } else if (schedule.completes_at_issue()) {
    work->land_all();
  } else {
    in_flight.push_back(std::move(work));
  }
}

void Machine::State::force(simulator::Asynchronous& work) {
  {
    const simulator::Visit visit(*this, work.rank);
    work.land_all();
  }
  forget_landed();
}

bool Machine::State::land_for_the_blocked() {
  while (!in_flight.empty()) {
    const size_t chosen =
        schedule.lands_in_order() ? 0 : schedule.below(uint32_t(in_flight.size()));
    // The list may grow while the work finishes; the pointer keeps it alive.
    const std::shared_ptr<simulator::Asynchronous> work = in_flight[chosen];
    force(*work);
    if (!nobody_can_run()) return true;
  }
  return false;
}

void Machine::State::land_a_piece() {
  if (in_flight.empty()) return;
  const std::shared_ptr<simulator::Asynchronous> work =
      in_flight[schedule.below(uint32_t(in_flight.size()))];
  if (work->landed()) return;
  const simulator::Visit visit(*this, work->rank);
  work->land_nth(int(schedule.below(uint32_t(work->pieces_left()))));
  if (work->landed()) forget_landed();
}

void Machine::State::forget_landed() {
  size_t kept = 0;
  for (size_t i = 0; i < in_flight.size(); ++i) {
    if (!in_flight[i]->landed()) std::swap(in_flight[kept++], in_flight[i]);
  }
  in_flight.resize(kept);
}

void Machine::State::wait_on(simulator::Waitable& object, Word word, Site site) {
  Lane& self = lane();
  self.waits_for = &object;
  self.wait_word = word;
  self.wait_site = site;
  object.waiting.push_back(lane_index());
  block_lane();
  give_way();
  self.waits_for = nullptr;
}

void Machine::State::wake(simulator::Waitable& object) {
  for (const int32_t waiting : object.waiting) {
    simulator::Block& home = *blocks[size_t(waiting / launch->threads)];
    const int thread = waiting % launch->threads;
    const int other = thread / simulator::kWarpLanes;
    home.warps[other].ready |= 1u << (thread % simulator::kWarpLanes);
    home.ready_warps |= 1u << other;
  }
  object.waiting.clear();
}

}  // namespace oddtile::sim
