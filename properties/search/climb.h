// Hill climbs: from a drawn case uphill in the share of the bound net of output rounding, first by
// changing the case (seed, sizes, scale, recipe), then by changing the stored numbers themselves.
// Sampling finds ordinary rows; the worst rows are found by looking for them.
#pragma once

#include <atomic>

#include "properties/search/soundness.h"

namespace oddtile::properties {

struct Climb {
  Cell cell;
  Contender which;
  std::string quantity;  // "y", "o", "lse"
};
// Every quantity of every kernel that has a bound (vector add is bit-exact) for every contender.
std::vector<Climb> all_climbs(const Machine& machine);

struct ClimbOptions {
  uint64_t seed = 0;
  int64_t evaluations = 1000;
  std::function<bool()> stopped = [] { return false; };
};

struct Summit {
  Climbed climbed;
  std::string violation;  // empty: never left a bound
};

// The same climb and options give the same summit (on a machine that gives the same bits).
Summit climb(const Climb& what, const ClimbOptions& options, Machine& machine,
             std::mutex* launching);

// Makes those of all_climbs() that the state does not hold yet, one per thread, within the search's
// limits; true when none is left. A climb that was cut short is not kept.
bool climb_all(Machine& machine, const SearchOptions& options, int64_t evaluations,
               SearchState* state);

}  // namespace oddtile::properties
