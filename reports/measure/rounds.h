// Launches timed in rounds, interleaved in a new random order each: what one of them does to
// clocks, power or caches meets every other alike.
#pragma once

#include "kernels/base/random.h"
#include "reports/measure/timer.h"

namespace oddtile::reports {

// 0 .. count - 1, shuffled.
std::vector<int> random_order(int count, Random& random);

// Microseconds, [launch][round]. `before` is called ahead of each round with its number.
std::vector<std::vector<double>> timed_rounds(std::span<const Launch> launches, Timer& timer,
                                              int rounds, const std::function<void(int)>& before);

}  // namespace oddtile::reports
