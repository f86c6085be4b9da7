// What must hold of any implementation, as functions of a case: no RapidCheck, no GoogleTest, no
// libFuzzer. Property suites, fuzz targets, replay and the command line call the same bodies.
#pragma once

#include <string>
#include <vector>

#include "oracles/judge/judge.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

struct CheckResult {
  oracles::Verdict verdict = oracles::Verdict::fail;
  bool offered = true;  // false: the implementation does not take this problem (not a failure)
  std::string broken;   // name of the first property that failed: "within_bound", ...
  std::string report;   // several lines: what, where, got, exact, bound, the replay line
  oracles::Judgement judgement;
  Counters counters;  // of the first run
  // Of all the runs: kernels, where the machine counts them; elsewhere runs that were launched.
  int64_t launches = 0;
  oddtile_profile profile = {};
};

// Everything that must hold for a case, from two runs that differ in poison, prefill and schedule:
//   launches, no_hazard, nothing_outside_is_written, within_bound, everything_inside_is_written,
//   same_bits_on_repeated_runs, same_bits_under_every_schedule, poison_has_no_influence.
CheckResult check_case(const oracles::Case& subject, const oddtile_implementation& which,
                       Machine& machine, const oracles::Sampling& sampling = {});

// Bad arguments give the documented status and touch nothing. Walks the contract of one kernel;
// returns one line per broken promise.
std::vector<std::string> check_bad_arguments(oddtile_kernel kernel,
                                             const oddtile_implementation& which, Machine& machine);

}  // namespace oddtile::properties
