// Libraries of kernels beside each other: did a change make it faster, and did it change a bit?
//
// All of them run in the very same buffers (where an output lies decides 1 to 2 % of a softmax's
// time), interleaved; then each one's output is judged, and its bits are held against those of the
// first library, once on the case's own data and once on data that show a fault at an edge.
#pragma once

#include <span>

#include "reports/measure/timer.h"
#include "reports/record/compared.h"

namespace oddtile::reports {

struct Library {
  std::string name;
  const oddtile_implementation* table = nullptr;
};

struct ComparisonOptions {
  int rounds = 31;                           // from kLeastRounds to kMostRounds (ratio.h)
  int repeats = 1;                           // launches in one graph, L2 warm after the first
  int64_t elements_made = int64_t(1) << 21;  // of softmax and vector add; the rest repeats them
  int64_t rows_judged = 64;                  // of attention, sampled; others: all that was made
};

// One entry a library, in their order; the first is the baseline. Each runs its preferred
// configuration. A case that names one (`config`) means the baseline's; others run theirs of the
// same name. `offered`, where given: how many configurations the baseline has for the case.
std::vector<ComparedEntry> compare(const oracles::Case& subject, std::span<const Library> libraries,
                                   properties::Machine& machine, Timer& timer,
                                   const ComparisonOptions& options, int32_t* offered = nullptr);

// Bytes of host memory that it takes, about: its data, where they repeat those of a part, and all
// outputs of two libraries.
double host_bytes_of_comparison(const oracles::Case& subject);

// Why an entry makes a run fail: not compared, a wrong output, an input written into, or (`slower`
// above 0) an interval that lies wholly above `slower`. Empty: it does not. Other bits are none.
std::string finding(const ComparedEntry& entry, double slower);

}  // namespace oddtile::reports
