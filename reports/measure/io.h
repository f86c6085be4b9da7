// Bytes and floating-point operations that the simulator counts: eager, fused and the least that
// anybody must move. Exact and repeatable, on a laptop.
#pragma once

#include <vector>

#include "properties/harness/harness.h"
#include "reports/measure/error_sweep.h"
#include "reports/record/record.h"

namespace oddtile::reports {

std::vector<oracles::Case> io_cases(Effort effort);

// Runs each case on every implementation of `machine`, which must count; appends entries and skips.
void measure_io(properties::Machine& machine, Effort effort, Record* record);

}  // namespace oddtile::reports
