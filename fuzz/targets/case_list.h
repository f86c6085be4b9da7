// A file of cases, one a line as print() writes it; lines that start with '#' say what they are.
#pragma once

#include <string>
#include <vector>

#include "oracles/case/case.h"

namespace oddtile::fuzz {

// Empty, and one line in *complaint ("path:line: what is wrong"), when the file cannot be read, has
// no case or a line that is none.
std::vector<oracles::Case> read_case_list(const std::string& path, std::string* complaint);

}  // namespace oddtile::fuzz
