// A .case file: lines that start with '#' that say why it is kept, then the case as text (text.h).
#pragma once

#include <optional>
#include <string>

#include "oracles/case/case.h"

namespace oddtile::oracles {

struct CaseFile {
  std::string text;  // of the whole file
  Case subject;
};

// Nothing, and one line in *complaint, for a file that cannot be read ("path: cannot be read") or
// holds no case ("path:position: what is wrong there"; the position is a byte offset).
std::optional<CaseFile> read_case_file(const std::string& path, std::string* complaint);

}  // namespace oddtile::oracles
