// The order of things, drawn from a seed: which lane, warp and block goes next, when a lane is
// interrupted, when an asynchronous operation lands.
//
// The last three decimal digits of a seed name the policies, so that a small seed is a simple
// schedule and a policy can be asked for by number; all of the seed feeds the choices. 0 is the
// plain schedule. digit:   0        1        2          3         4       5       6       7      8
// 9
//   ones, warps:     round robin  random  switching  priority  change  starve  starve  delay  ahead
//   *
//                                                              points  warp    group   warp   warp
//   tens, landing:   eager  forced  pieces | the same, interrupted rarely | ... often     | * =
//   drawn hundreds, lanes: forward backward random | blocks backwards | blocks by a stride      |
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/random.h"

namespace oddtile::simulator {

enum class LaneOrder : uint8_t { forward, backward, random };
enum class BlockOrder : uint8_t { forward, backward, stride };
enum class WarpOrder : uint8_t {
  round_robin,    // a warp runs until all its lanes wait, then the next one
  random,         // drawn whenever a warp is blocked
  switching,      // drawn at every switch, ready or not
  priority,       // the ready warp that a random permutation puts first
  change_points,  // the same, and at random points the running warp becomes the last of them
  starve_warp,    // one warp runs only when no other can
  starve_group,   // four warps in a row do
  delay_warp,     // one warp is held up at each of its words
  ahead_warp,     // one warp runs whenever it can
};
enum class Landing : uint8_t {
  eager,   // at issue
  forced,  // only at the wait that forces it, or when nobody can run
  pieces,  // in pieces, whenever the schedule likes, at the latest when forced
  mixed,   // drawn for each operation
};

class Schedule {
 public:
  explicit Schedule(uint64_t seed);

  int first_lane() { return seed_ == 0 ? 0 : int(random_.below(32)); }
  int first_warp(int warps) { return seed_ == 0 ? 0 : int(random_.below(uint32_t(warps))); }
  // Picks from a non-empty set of lanes (or warps); `current` ran last.
  int next_lane(uint32_t ready, int current);
  int next_warp(uint32_t ready, int current);
  // Block (or cluster) number `turn` of `blocks` in the order of this launch, which begin_launch()
  // draws; `together` blocks make a cluster.
  void begin_launch(int64_t blocks, int warps, int together = 1);
  int64_t block_at(int64_t turn) const;
  // What that turn follows: its choices depend on the seed and the launches so far, not on what
  // other turns have drawn.
  Schedule of_turn(int64_t turn) const;
  // Picks from a non-empty set of blocks of a cluster; called only where there are several.
  int next_block(uint32_t ready, int current);
  // Words until a lane of this warp is interrupted next.
  int64_t next_interruption(int warp);
  // It was, just now.
  void interrupted(int warp);
  // Whether next_interruption() depends on the warp.
  bool delays() const { return warp_order_ == WarpOrder::delay_warp; }
  // Whether the last arriver at a barrier goes on itself or is put back among the others.
  bool yields_after_barrier() const { return seed_ != 0; }

  // Of the operation that is issued now.
  bool completes_at_issue() {
    return landing_ == Landing::eager || (landing_ == Landing::mixed && random_.below(3) == 0);
  }
  bool lands_pieces() const { return landing_ == Landing::pieces || landing_ == Landing::mixed; }
  bool lands_in_order() const { return landing_ == Landing::forced; }
  bool lands_now() { return random_.below(4) == 0; }

  uint32_t below(uint32_t bound) { return random_.below(bound); }
  std::string text() const;  // "warps priority, landing forced, lanes forward, blocks forward"

 private:
  int first_in_rank(uint32_t ready) const;

  uint64_t seed_;
  Random random_;
  LaneOrder lane_order_ = LaneOrder::forward;
  BlockOrder block_order_ = BlockOrder::forward;
  WarpOrder warp_order_ = WarpOrder::round_robin;
  Landing landing_ = Landing::eager;
  uint32_t interruption_mean_ = 0;  // words; 0: never
  uint8_t rank_[32];                // of warps, for `priority` and `change_points`
  uint32_t chosen_warps_ = 1;       // that are starved, delayed or ahead
  uint32_t chosen_block_ = 1;       // of a cluster
  int64_t blocks_ = 1;
  int64_t first_block_ = 0;
  int64_t block_stride_ = 1;
};

}  // namespace oddtile::simulator
