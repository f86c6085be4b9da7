// The order of things, drawn from a seed: which lane, warp and block goes next, when a lane is
// interrupted, when an asynchronous copy lands.
#pragma once

#include <cstdint>

#include "kernels/base/random.h"

namespace oddtile::simulator {

enum class LaneOrder : uint8_t { forward, backward, random };
enum class WarpOrder : uint8_t {
  round_robin,  // a warp runs until all its lanes wait, then the next one
  random,       // drawn whenever a warp is blocked
  switching,    // drawn at every switch, ready or not
  priority,     // the ready warp that a fixed permutation puts first
  starving,     // one warp runs only when no other can
};
enum class CopyTiming : uint8_t {
  eager,   // at issue
  forced,  // only at the wait that forces it
  pieces,  // four bytes at a time, whenever the schedule likes, at the latest when forced
};

class Schedule {
 public:
  // Seed 0: in order, round robin, eager, never interrupted. Any other seed draws the policies too.
  explicit Schedule(uint64_t seed);

  int first_lane() { return seed_ == 0 ? 0 : int(random_.below(32)); }
  int first_warp(int warps) { return seed_ == 0 ? 0 : int(random_.below(uint32_t(warps))); }
  // Picks from a non-empty set of lanes (or warps); `current` ran last.
  int next_lane(uint32_t ready, int current);
  int next_warp(uint32_t ready, int current);
  // Block number `turn` of `blocks` in the order of this launch; begin_launch() draws that order.
  void begin_launch(int64_t blocks, int warps);
  int64_t block_at(int64_t turn) const;
  // Words until the running lane is interrupted next.
  int64_t next_interruption();
  // Whether the last arriver at a barrier goes on itself or is put back among the others.
  bool yields_after_barrier() const { return seed_ != 0; }
  CopyTiming copies() const { return copies_; }
  bool lands_now() { return random_.below(4) == 0; }
  uint32_t below(uint32_t bound) { return random_.below(bound); }

 private:
  uint64_t seed_;
  Random random_;
  LaneOrder lane_order_ = LaneOrder::forward;
  WarpOrder warp_order_ = WarpOrder::round_robin;
  CopyTiming copies_ = CopyTiming::eager;
  uint32_t interruption_mean_ = 0;  // 0: never
  uint8_t rank_[32];                // of warps, for `priority`
  int starved_warp_ = 0;
  int64_t blocks_ = 1;
  int64_t first_block_ = 0;
  int64_t block_stride_ = 1;
};

}  // namespace oddtile::simulator
