// What `oddtile compare` does once it has a clock: apart, so that it is tested without a GPU.
#pragma once

#include <vector>

#include "reports/cli/commands.h"
#include "reports/measure/comparison.h"

namespace oddtile::reports {

// One library alone is held against the program's own kernels.
std::vector<Library> with_baseline(std::vector<Library> libraries, properties::Machine& machine);

// Prints; the exit code: 1 where there are findings.
int compare_with(const std::vector<oracles::Case>& cases, const std::vector<Library>& libraries,
                 properties::Machine& machine, Timer& timer, const CompareOptions& options);

}  // namespace oddtile::reports
