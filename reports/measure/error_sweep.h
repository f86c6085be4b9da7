// The numerical-error sweep: how much of its bound each implementation uses, over sizes and
// families of values, through the same check that the property suites run.
#pragma once

#include <string>
#include <vector>

#include "properties/checks/checks.h"
#include "reports/record/record.h"

namespace oddtile::reports {

enum class Effort { quick, full };

// The sweep's cases for a machine; the GPU gets larger ones.
std::vector<oracles::Case> error_cases(const std::string& machine, Effort effort);

// What the case and a judgement of its outputs say; machine and implementation are left empty.
ErrorEntry judged_entry(const oracles::Case& subject, const oracles::Judgement& judgement);

ErrorEntry error_entry(const oracles::Case& subject, const oddtile_implementation& which,
                       const properties::Machine& machine, const properties::CheckResult& result);

// Whether its silence is a failure: what our own kernels decline nobody has shown to be right.
bool is_fused(const oddtile_implementation& which);

// Appends entries, the profiles met, and a skip for each kernel of which an implementation declines
// some cases.
void error_sweep(properties::Machine& machine, Effort effort, Record* record);

std::string profile_text(oddtile_kernel kernel, const oddtile_profile& profile);

}  // namespace oddtile::reports
