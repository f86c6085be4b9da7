// What wrong outputs that look harmless would come to on this case: all zeros, the row before, what
// stood in the buffer. Slow, on a sample of rows: for reports, not for every judgement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracles/judge/judge.h"

namespace oddtile::oracles {

// Of one output: the worst |wrong - exact| / bound; above 1 such an output fails.
struct Power {
  Role role = Role::out;
  int64_t rows = 0;             // looked at
  double zero_factor = 0;       // every element 0; infinity where a class decides
  double stale_factor = 0;      // every row what the row next to it should be
  int64_t elements = 0;         // of these rows
  int64_t stale_nan_fails = 0;  // how many of them a NaN left in the buffer fails by class
};

// One per output that is judged within bounds: O and LSE, y; `out` of vector add, bit-exact.
std::vector<Power> measure_power(const Workload& workload, const oddtile_profile& profile,
                                 const Sampling& sampling = {64, 0});

// One line per output.
std::string describe(const std::vector<Power>& power);

}  // namespace oddtile::oracles
