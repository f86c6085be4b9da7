// What in a record is wrong enough to fail a build: the reason for exit code 1, and the first lines
// of every page.
#pragma once

#include <string>
#include <vector>

#include "reports/record/record.h"

namespace oddtile::reports {

struct Finding {
  std::string section;  // "errors", "io", "criteria", "soundness", "timing", or "all"
  std::string text;     // one line
};

// Failed verdicts, entries that judged nothing, times of outputs that are wrong, points where the
// whole interval of the speed ratio to the eager baseline lies below 1, what could not be measured
// because it broke, a right kernel that our own criterion rejects, a mutant whose runs never differ
// (nothing was compared), a right kernel that leaves a bound in a soundness search, a search that
// was asked for outputs of a kernel and judged none, and a record that measured nothing. Only our
// own implementations
// ("fused", "eager") can make a finding: a peer's verdict is shown, not gated.
std::vector<Finding> findings(const Record& record);

}  // namespace oddtile::reports
