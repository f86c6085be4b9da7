// The blocks (or clusters) of a launch in their order, a turn each, taken by one thread or several.
// Private to this folder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/sim/machine.h"

namespace oddtile::simulator {

// What a turn leaves behind.
struct TurnResult {
  uint64_t trace = 0;
  int64_t steps = 0;
  std::vector<sim::Hazard> hazards;
};

// Turns [first, count), each for one of several threads.
class Turns {
 public:
  Turns(int64_t first, int64_t count);
  // The next one, or -1.
  int64_t take();
  void finish(int64_t turn, TurnResult result);
  // Until every turn before this one is finished. What they did is seen from then on.
  void wait_for_earlier(int64_t turn);
  std::vector<TurnResult>& results() { return results_; }

 private:
  const int64_t first_;
  int64_t next_;
  int64_t unfinished_;  // all before it are finished
  std::vector<TurnResult> results_;
  std::vector<bool> finished_;
  std::mutex mutex_;
  std::condition_variable moved_;
};

}  // namespace oddtile::simulator
