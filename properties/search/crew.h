// Threads that share a piece of work: on the simulator each with a machine of its own, on a GPU all
// with the one there is, taking turns. Private to properties/search.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "properties/search/soundness.h"

namespace oddtile::properties {

class Crew {
 public:
  using Clock = std::chrono::steady_clock;

  Crew(Machine& machine, const SearchOptions& options)
      : machine_(machine), stop_(options.stop), begin_(Clock::now()) {
    seconds_at_most_ = options.seconds_at_most;
    const int cores = int(std::max<unsigned>(1, std::thread::hardware_concurrency()));
    threads_ = options.threads > 0 ? options.threads : cores;
    for (int i = 0; machine.name() == "sim" && i < threads_; ++i)
      own_.push_back(make_sim_machine());
  }

  int threads() const { return threads_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool stopped() const {
    return machine_.lost() || (stop_ != nullptr && stop_->load()) || seconds() >= seconds_at_most_;
  }

  // Calls body(index, machine, turn) for every index below `count`, until it is stopped; `turn` is
  // to be held while the machine is used, null where it is the thread's own.
  template <class Body>
  void run(int64_t count, const Body& body) {
    std::atomic<int64_t> next = 0;
    const auto work = [&](int thread) {
      Machine& machine = own_.empty() ? machine_ : *own_[size_t(thread)];
      for (int64_t at; (at = next.fetch_add(1)) < count && !stopped();)
        body(at, machine, own_.empty() ? &turn_ : nullptr);
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads_; ++thread) others.emplace_back(work, thread);
    work(0);
    for (std::thread& other : others) other.join();
  }

 private:
  Machine& machine_;
  const std::atomic<bool>* stop_;
  double seconds_at_most_;
  Clock::time_point begin_;
  int threads_;
  std::vector<std::unique_ptr<Machine>> own_;
  std::mutex turn_;
};

}  // namespace oddtile::properties
