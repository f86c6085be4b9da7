// The sizes that `oddtile report` times, and how each is proved right.
#pragma once

#include <vector>

#include "oracles/case/case.h"
#include "reports/measure/error_sweep.h"

namespace oddtile::reports {

struct TimingPoint {
  oracles::Case timed;  // N(0, 1) data: what users have, and what a GPU's power depends on
  oracles::Case edges;  // the same shape with data on which a fault at any edge shows
};

std::vector<TimingPoint> timing_points(Effort effort);

// The same shape on edge-showing data: for timing a case that somebody typed.
oracles::Case edge_case(const oracles::Case& timed);

// Bytes of scores and weights that an attention materialises; 0 for other kernels.
int64_t materialised_bytes(const oracles::Case& subject);

}  // namespace oddtile::reports
