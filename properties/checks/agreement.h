// The same data through the same configuration on two machines: the claim that what was verified on
// one of them is the program that runs on the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracles/case/workload.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

struct Runner {
  const oddtile_implementation& which;
  Machine& machine;
};

// Of one output.
struct Bits {
  oracles::Role role = oracles::Role::out;
  int64_t elements = 0;
  int64_t others = 0;  // elements whose bits differ; two NaNs count as equal
  std::string first;   // one line about the first of them
};

struct Agreement {
  bool compared = false;  // false: one of the two does not offer the problem or configuration
  std::string broken;     // empty: each run is within its own bound of the exact value, so the
                          // two are within the sum of the bounds of each other
  std::vector<Bits> outputs;
};

// Empty, or one line about the first element of an output whose bits differ.
std::string first_difference(const Agreement& agreement);

// Runs `subject` with the configuration that it means to `one`; `two` gets the same id.
Agreement compare_runs(const oracles::Case& subject, const Runner& one, const Runner& two);

}  // namespace oddtile::properties
