// What `oddtile compare` prints of one case: a line for it, and one for each library.
#pragma once

#include <string>
#include <vector>

#include "reports/record/compared.h"

namespace oddtile::reports {

// Entries must not be empty.
std::string comparison_text(const std::vector<ComparedEntry>& entries);

}  // namespace oddtile::reports
