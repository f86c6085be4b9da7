// Two things that more than one kind of word is made of: work that goes on by itself, and things
// that a lane can wait for. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace oddtile::simulator {

// Work in flight, in pieces that land in any order at any time until somebody forces it (a bulk
// copy, the products of a warpgroup). State::start() files it; the schedule decides.
class Asynchronous {
 public:
  explicit Asynchronous(int pieces);
  virtual ~Asynchronous() = default;
  // Does piece number `piece`; each is called for once. May run on any lane's fiber, or between
  // lanes, so it must not be a word itself.
  virtual void land(int piece) = 0;
  // After the last piece: what the completion tells others (arrive at a barrier, wake).
  virtual void finish() {}

  bool landed() const { return left_.empty(); }
  int pieces_left() const { return int(left_.size()); }
  void land_nth(int nth);  // of those that are left
  void land_all();         // in order

  int rank = 0;  // of the block whose shared memory it means; State::start sets it

 private:
  std::vector<int32_t> left_;
};

// What lanes wait for: a barrier in shared memory, a named barrier. Must outlive the block, or be
// forgotten with it: keep it in the machine's state, never in a lane's frame.
class Waitable {
 public:
  virtual ~Waitable() = default;
  // For the report of a deadlock: "mbarrier +64: phase 1, 1 of 2 arrivals, 128 bytes missing".
  virtual std::string state_text() const = 0;

  std::vector<int32_t> waiting;  // lanes; State::wait_on and wake keep it
};

}  // namespace oddtile::simulator
