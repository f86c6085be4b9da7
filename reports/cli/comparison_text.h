// What `oddtile compare` prints of one case: a line for it, and one for each library.
#pragma once

#include <string>
#include <vector>

#include "reports/record/compared.h"

namespace oddtile::reports {

// `slower`: as in `finding` (reports/measure/comparison.h). Entries must not be empty.
std::string comparison_text(const std::vector<ComparedEntry>& entries, double slower);

}  // namespace oddtile::reports
