#include "kernels/sim/schedule.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace oddtile::simulator {

namespace {

constexpr uint32_t kDrawn = 9;  // the digit that leaves a policy to the seed
constexpr uint32_t kOften = 8;  // words between interruptions
constexpr uint32_t kRarely = 64;
constexpr uint32_t kChangePointMeans[] = {16, 128, 1024};

// The first member of `set` at or after position `from`, cyclically.
int first_from(uint32_t set, int from) {
  return (std::countr_zero(std::rotr(set, from & 31)) + from) & 31;
}

}  // namespace

Schedule::Schedule(uint64_t seed) : seed_(seed), random_(seed) {
  std::iota(rank_, rank_ + 32, uint8_t(0));
  if (seed == 0) return;
  const uint32_t warps = seed % 10;
  const uint32_t landing = seed / 10 % 10;
  const uint32_t lanes = seed / 100 % 10;
  warp_order_ = WarpOrder(warps == kDrawn ? 1 + random_.below(8) : warps);
  constexpr uint32_t kMeans[] = {0, kRarely, kOften};
  if (landing == kDrawn) {
    landing_ = Landing::mixed;
    interruption_mean_ = kMeans[random_.below(3)];
  } else {
    landing_ = Landing(landing % 3);
    interruption_mean_ = kMeans[landing / 3];
  }
  lane_order_ = LaneOrder(lanes == kDrawn ? random_.below(3) : lanes % 3);
  block_order_ = BlockOrder(lanes == kDrawn ? random_.below(3) : lanes / 3);
  for (uint32_t last = 31; last > 0; --last) std::swap(rank_[last], rank_[random_.below(last + 1)]);
  if (warp_order_ == WarpOrder::change_points && interruption_mean_ == 0) {
    interruption_mean_ = kChangePointMeans[random_.below(3)];
  }
}

int Schedule::next_lane(uint32_t ready, int current) {
  switch (lane_order_) {
    case LaneOrder::forward:
      return first_from(ready, current + 1);
    case LaneOrder::backward:
      return 31 - std::countl_zero(ready);
    case LaneOrder::random:
      return first_from(ready, int(random_.below(32)));
  }
  return first_from(ready, 0);
}

int Schedule::first_in_rank(uint32_t ready) const {
  for (uint8_t warp : rank_) {
    if (ready >> warp & 1) return warp;
  }
  return 0;
}

int Schedule::next_warp(uint32_t ready, int current) {
  if (std::has_single_bit(ready)) return std::countr_zero(ready);
  const uint32_t others = ready & ~chosen_warps_;
  switch (warp_order_) {
    case WarpOrder::round_robin:
      break;
    case WarpOrder::random:
      if (ready >> current & 1) return current;
      return first_from(ready, int(random_.below(32)));
    case WarpOrder::switching:
      return first_from(ready, int(random_.below(32)));
    case WarpOrder::priority:
    case WarpOrder::change_points:
      return first_in_rank(ready);
    case WarpOrder::starve_warp:
    case WarpOrder::starve_group:
      return first_from(others != 0 ? others : ready, current);
    case WarpOrder::delay_warp:
      // Once delayed it stands back for another one; afterwards it is one of many.
      return first_from(chosen_warps_ >> current & 1 ? others : ready, int(random_.below(32)));
    case WarpOrder::ahead_warp:
      if (others != ready) return std::countr_zero(ready & chosen_warps_);
      break;
  }
  return first_from(ready, current);
}

// The policy of the warps, for blocks: a warp of a block that is starved, or ahead, is so, too.
int Schedule::next_block(uint32_t ready, int current) {
  if (std::has_single_bit(ready)) return std::countr_zero(ready);
  const uint32_t others = ready & ~chosen_block_;
  switch (warp_order_) {
    case WarpOrder::round_robin:
      break;
    case WarpOrder::random:
    case WarpOrder::delay_warp:
      return first_from(ready, int(random_.below(32)));
    case WarpOrder::switching:
      return first_from(ready, current + 1);
    case WarpOrder::priority:
    case WarpOrder::change_points:
      return first_in_rank(ready);
    case WarpOrder::starve_warp:
    case WarpOrder::starve_group:
      return first_from(others, current);
    case WarpOrder::ahead_warp:
      if (others != ready) return std::countr_zero(chosen_block_);
      break;
  }
  return first_from(ready, current);
}

void Schedule::begin_launch(int64_t blocks, int warps, int together) {
  blocks_ = blocks;
  first_block_ = 0;
  block_stride_ = 1;
  if (seed_ == 0) return;
  const uint32_t chosen = random_.below(uint32_t(warps));
  chosen_warps_ = warp_order_ == WarpOrder::starve_group ? 0xFu << (chosen / 4 * 4) : 1u << chosen;
  if (together > 1) chosen_block_ = 1u << random_.below(uint32_t(together));
  if (blocks <= 1) return;
  if (block_order_ == BlockOrder::backward) {
    first_block_ = blocks - 1;
    block_stride_ = blocks - 1;
  } else if (block_order_ == BlockOrder::stride) {
    // An arithmetic progression visits every block once and costs no memory.
    first_block_ = random_.between(0, blocks - 1);
    do {
      block_stride_ = random_.between(1, blocks);
    } while (std::gcd(block_stride_, blocks) != 1);
  }
}

int64_t Schedule::block_at(int64_t turn) const {
  return int64_t((uint64_t(first_block_) + uint64_t(turn) * uint64_t(block_stride_)) %
                 uint64_t(blocks_));  // below 2^31 squared
}

Schedule Schedule::of_turn(int64_t turn) const {
  Schedule own = *this;
  own.random_ = random_.split(uint64_t(turn));
  return own;
}

int64_t Schedule::next_interruption(int warp) {
  if (delays()) return chosen_warps_ >> warp & 1 ? 1 : 1 + random_.below(2 * kOften);
  if (interruption_mean_ == 0) return std::numeric_limits<int64_t>::max();
  return 1 + random_.below(2 * interruption_mean_);
}

void Schedule::interrupted(int warp) {
  if (warp_order_ != WarpOrder::change_points) return;
  uint8_t* const place = std::find(rank_, rank_ + 32, uint8_t(warp));
  std::rotate(place, place + 1, rank_ + 32);
}

std::string Schedule::text() const {
  constexpr const char* kWarps[] = {"round robin",  "random",        "switching",
                                    "priority",     "change points", "starve warp",
                                    "starve group", "delay warp",    "ahead warp"};
  constexpr const char* kLandings[] = {"eager", "forced", "pieces", "mixed"};
  constexpr const char* kLanes[] = {"forward", "backward", "random"};
  constexpr const char* kBlocks[] = {"forward", "backward", "stride"};
  std::string text = std::string("warps ") + kWarps[int(warp_order_)];
  text += std::string(", landing ") + kLandings[int(landing_)];
  if (interruption_mean_ != 0) {
    text += ", interrupted every " + std::to_string(interruption_mean_) + " words";
  }
  return text + ", lanes " + kLanes[int(lane_order_)] + ", blocks " + kBlocks[int(block_order_)];
}

}  // namespace oddtile::simulator
