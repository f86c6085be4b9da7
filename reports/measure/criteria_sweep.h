// Pass criteria compared on the same runs: three public ones and ours, on the kernels as they are
// (what is rejected is a false alarm) and with known bugs (what is accepted is a missed fault).
#pragma once

#include <span>

#include "reports/measure/error_sweep.h"
#include "reports/measure/mutants.h"

namespace oddtile::reports {

// Cases of one kernel, drawn as the property suites draw them: every family of values, masks,
// layouts, configurations. The same ones in every run: `attentions` of attention, more of the
// others.
std::vector<oracles::Case> criteria_cases(oddtile_kernel kernel, int64_t attentions);

// Appends an entry for each kernel as it is and one for each mutant. Cases that fused or the
// baseline declines, or whose exact output is not finite, are left out for all of them.
void criteria_sweep(properties::Machine& machine, std::span<const Mutant> mutants,
                    int64_t attentions, Record* record);

// The same with the mutants beside the program; a skip where there are none.
void measure_criteria(properties::Machine& machine, Effort effort, Record* record);

}  // namespace oddtile::reports
