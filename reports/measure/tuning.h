// All configurations of one case timed side by side with a copy: what a choice among them rests on.
//
// A large case is made from a small one of the same shape: data of some rows, repeated on the
// device. Outputs are judged on that small case, in each configuration.
#pragma once

#include <string>
#include <vector>

#include "reports/measure/timer.h"

namespace oddtile::reports {

struct TuningOptions {
  int rounds = 7;
  int repeats = 1;              // launches in one graph, L2 warm after the first
  bool preferred_only = false;  // no other configurations
  bool verify = true;
  // Of the mask of a case that has one, instead of its kind: the share of visible elements, in runs
  // of so many elements; below 0: the case's own mask.
  double density = -1;
  int64_t run = 1;
  int64_t elements_made = int64_t(1) << 21;  // the rest repeats them
  int64_t rows_judged = 3;                   // vector add: so many thousand elements
};

struct TunedConfiguration {
  std::string name;
  bool preferred = false;
  double us = 0;        // median
  double share = 0;     // of the rate of a copy of as many bytes, median over rounds
  std::string verdict;  // "pass", ...; "slow" where it was dropped after one round
};

struct TunedPoint {
  int64_t bytes = 0;  // moved in 32-byte sectors: each counted once that holds a visible element
  double copy_us = 0;
  std::vector<TunedConfiguration> configurations;  // fastest first
  std::string problem;                             // why there are none
};

// Softmax with dense or padded rows, and vector add; `problem` says what is not offered.
TunedPoint tune(const oracles::Case& subject, const oddtile_implementation& which,
                properties::Machine& machine, Timer& timer, const TuningOptions& options);

// Bytes of host memory that it takes, about: nothing but a part is ever there.
double host_bytes_of_tuning(const oracles::Case& subject);

// Bytes of the sectors that a kernel must move for this workload: the mask's, those of inputs and
// outputs with a visible element; of vector add's partly visible output twice, as it is read first.
int64_t sector_bytes(const oracles::Workload& workload);

}  // namespace oddtile::reports
