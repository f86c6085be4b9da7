// How long functions are, read from the text: no compiler, so a best effort. A body counts where a
// brace opens in namespace or class scope after something with a parameter list.
#pragma once

#include <string>
#include <vector>

#include "properties/tidy/tree.h"

namespace oddtile::tidy {

struct Function {
  int first_line;
  int last_line;
  std::string head;  // what stands before its brace
};

std::vector<Function> functions_of(const File& file);

// The same lines with comments, the contents of literals and preprocessor lines as blanks.
std::vector<std::string> code_only(const std::vector<std::string>& lines);

}  // namespace oddtile::tidy
