// Vector clocks: what an agent knows to have happened. Copies share their numbers until one of them
// changes, so that 384 lanes that left a barrier together hold one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace oddtile::simulator {

using Agent = uint16_t;  // a lane, or a source of asynchronous operations
using Epoch = uint32_t;  // 0: nothing of that agent

class Clock {
 public:
  Epoch at(Agent agent) const { return epochs_ && agent < epochs_->size() ? (*epochs_)[agent] : 0; }
  // To at least this.
  void raise(Agent agent, Epoch epoch);
  void join(const Clock& other);
  bool shares(const Clock& other) const { return epochs_ == other.epochs_; }
  bool empty() const { return !epochs_; }

 private:
  void own(size_t agents);

  std::shared_ptr<std::vector<Epoch>> epochs_;
};

// Remembers the last few results: the lanes of a warp or block that start from one clock and learn
// the same then share the result.
class ClockMemo {
 public:
  void join(Clock& into, const Clock& from);
  void raise(Clock& into, Agent agent, Epoch epoch);
  void clear();

 private:
  struct Joined {
    Clock into, from, result;
  };
  struct Raised {
    Clock into, result;
    Agent agent = 0;
    Epoch epoch = 0;
  };
  static constexpr size_t kKept = 4;
  Joined joined_[kKept];
  size_t next_joined_ = 0;
  Raised raised_;
};

}  // namespace oddtile::simulator
