#include "kernels/sim/turns.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

// Below this many steps in all a second thread costs more than it brings.
constexpr int64_t kParallelSteps = 200'000;

}  // namespace

Turns::Turns(int64_t first, int64_t count)
    : first_(first),
      next_(first),
      unfinished_(first),
      results_(size_t(count - first)),
      finished_(size_t(count - first)) {}

int64_t Turns::take() {
  const std::lock_guard lock(mutex_);
  return next_ - first_ < int64_t(results_.size()) ? next_++ : -1;
}

void Turns::finish(int64_t turn, TurnResult result) {
  const std::lock_guard lock(mutex_);
  results_[size_t(turn - first_)] = std::move(result);
  finished_[size_t(turn - first_)] = true;
  const int64_t end = first_ + int64_t(finished_.size());
  while (unfinished_ < end && finished_[size_t(unfinished_ - first_)]) ++unfinished_;
  moved_.notify_all();
}

void Turns::wait_for_earlier(int64_t turn) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return unfinished_ >= turn; });
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

using simulator::TurnResult;
using simulator::Turns;

TurnResult Machine::State::run_turn(int64_t turn) {
  schedule = launch_schedule.of_turn(turn);
  trace = 0;
  step_count = 0;
  hazards.clear();
  run_together(launch_schedule.block_at(turn) * launch->cluster_blocks);
  return {trace, step_count, std::move(hazards)};
}

void Machine::State::run_turns(int64_t count) {
  int64_t turn = 0;
  for (; turn < count; ++turn) {
    TurnResult result = run_turn(turn);
    const int64_t left = count - turn - 1;
    const bool worth_it = left > 1 && result.steps * left > simulator::kParallelSteps;
    add(std::move(result));
    if (worth_it && thread_count > 1 && !races && !sites.watches()) break;
  }
  if (turn < count) run_in_parallel(turn + 1, count);
}

void Machine::State::run_in_parallel(int64_t first, int64_t count) {
  Turns shared_turns(first, count);
  const size_t wanted = size_t(std::min<int64_t>(thread_count, count - first)) - 1;
  while (helpers.size() < wanted) helpers.push_back(std::make_unique<State>());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < wanted; ++i) {
    State& helper = *helpers[i];
    helper.follow(*this);
    threads.emplace_back([&helper, &shared_turns] { helper.take_turns(shared_turns); });
  }
  take_turns(shared_turns);
  for (std::thread& thread : threads) thread.join();
  for (TurnResult& result : shared_turns.results()) add(std::move(result));
  for (size_t i = 0; i < wanted; ++i) counters.add(helpers[i]->counters);
}

void Machine::State::take_turns(Turns& from) {
  State* const outer = simulator::running;
  simulator::running = this;
  simulator::place = {0, launch->threads, 0, launch->blocks, nullptr, 0, launch->cluster_blocks};
  turns = &from;
  for (int64_t turn = from.take(); turn >= 0; turn = from.take()) {
    current_turn = turn;
    from.finish(turn, run_turn(turn));
  }
  turns = nullptr;
  simulator::running = outer;
}

void Machine::State::follow(const State& owner) {
  arithmetic = owner.arithmetic;
  regions = owner.regions;
  hot_region = 0;
  counters = {};
  launch = owner.launch;
  cleared_beside = owner.cleared_beside;
  launch_schedule = owner.launch_schedule;
  warp_count = owner.warp_count;
  make_blocks(launch->cluster_blocks);
}

void Machine::State::add(TurnResult result) {
  total.trace = ((total.trace << 7 | total.trace >> 57) ^ result.trace) * 0x9E3779B97F4A7C15u;
  for (Hazard& hazard : result.hazards) {
    hazard.step += total.steps;
    add_hazard(&total.hazards, std::move(hazard));
  }
  total.steps += result.steps;
}

void Machine::State::await_earlier_blocks() {
  if (turns != nullptr) turns->wait_for_earlier(current_turn);
}

}  // namespace oddtile::sim
