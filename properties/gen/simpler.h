// Shrinking of a case through its own fields.
#pragma once

#include <vector>

#include "oracles/case/case.h"

namespace oddtile::properties {

// Possible cases that are simpler than `subject`, the boldest first: whole features reset, then
// field by field towards the simplest value (integers by halving the distance, enumerations by
// earlier enumerators). Never `subject` itself; a chain of such steps always ends.
std::vector<oracles::Case> simpler(const oracles::Case& subject);

}  // namespace oddtile::properties
