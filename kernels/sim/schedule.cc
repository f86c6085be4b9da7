#include "kernels/sim/schedule.h"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace oddtile::simulator {

namespace {

// The first member of `set` at or after position `from`, cyclically.
int first_from(uint32_t set, int from) {
  return (std::countr_zero(std::rotr(set, from & 31)) + from) & 31;
}

}  // namespace

Schedule::Schedule(uint64_t seed) : seed_(seed), random_(seed) {
  std::iota(rank_, rank_ + 32, uint8_t(0));
  if (seed == 0) return;
  constexpr uint32_t kInterruptionMeans[] = {0, 0, 8, 64};
  lane_order_ = LaneOrder(random_.below(3));
  warp_order_ = WarpOrder(random_.below(5));
  copies_ = CopyTiming(random_.below(3));
  interruption_mean_ = kInterruptionMeans[random_.below(4)];
  for (uint32_t last = 31; last > 0; --last) std::swap(rank_[last], rank_[random_.below(last + 1)]);
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

int Schedule::next_warp(uint32_t ready, int current) {
  if (std::has_single_bit(ready)) return std::countr_zero(ready);
  switch (warp_order_) {
    case WarpOrder::round_robin:
      return first_from(ready, current);
    case WarpOrder::random:
      if (ready >> current & 1) return current;
      [[fallthrough]];
    case WarpOrder::switching:
      return first_from(ready, int(random_.below(32)));
    case WarpOrder::priority:
      for (uint8_t warp : rank_) {
        if (ready >> warp & 1) return warp;
      }
      break;
    case WarpOrder::starving:
      return first_from(ready & ~(1u << starved_warp_), current);
  }
  return first_from(ready, current);
}

void Schedule::begin_launch(int64_t blocks, int warps) {
  blocks_ = blocks;
  first_block_ = 0;
  block_stride_ = 1;
  if (seed_ == 0) return;
  starved_warp_ = int(random_.below(uint32_t(warps)));
  if (blocks <= 1) return;
  // An arithmetic progression visits every block once and costs no memory.
  first_block_ = random_.between(0, blocks - 1);
  do {
    block_stride_ = random_.between(1, blocks);
  } while (std::gcd(block_stride_, blocks) != 1);
}

int64_t Schedule::block_at(int64_t turn) const {
  return int64_t((uint64_t(first_block_) + uint64_t(turn) * uint64_t(block_stride_)) %
                 uint64_t(blocks_));  // below 2^31 squared
}

int64_t Schedule::next_interruption() {
  if (interruption_mean_ == 0) return std::numeric_limits<int64_t>::max();
  return 1 + random_.below(2 * interruption_mean_);
}

}  // namespace oddtile::simulator
