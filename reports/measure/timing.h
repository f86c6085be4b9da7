// Times of implementations, side by side in one process, on outputs that were judged in that run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reports/measure/timer.h"
#include "reports/measure/timing_points.h"

namespace oddtile::reports {

// One thing to be timed. `deliver`, where set, is called after the rounds and before the outputs
// are read: a peer that returns its own buffer copies its last result into the problem's output
// there, outside the timed region.
struct Contender {
  const oddtile_implementation* table = nullptr;
  std::function<void()> deliver;
  bool peer = false;  // its failures are shown, not findings
};

struct TimingPlan {
  int warm_ups = 3;
  int rounds = 15;
  std::string baseline = "eager";  // name of the contender that `ratio` compares with
  int64_t rows_judged = 64;        // sampled; every tile edge is among them
  int64_t most_materialised = int64_t(40) * 1000 * 1000 * 1000;  // eager attention above: skipped
};

// One entry per contender that offers the problem; a skip for each other one.
std::vector<TimingEntry> time_point(const TimingPoint& point, std::span<const Contender> contenders,
                                    properties::Machine& machine, Timer& timer,
                                    const TimingPlan& plan, std::vector<Skip>* skips);

// Many points; host work (data, judging) runs beside the device's. Appends in the points' order.
void time_points(const std::vector<TimingPoint>& points, std::span<const Contender> contenders,
                 properties::Machine& machine, Timer& timer, const TimingPlan& plan,
                 Record* record);

// The ceilings, and all points on the machine's implementations.
void timing_suite(properties::Machine& machine, Timer& timer, Effort effort, Record* record);

}  // namespace oddtile::reports
