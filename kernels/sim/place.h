// From the code address of an instrumented access to its line in the source.
#pragma once

#include <string>

namespace oddtile::simulator {

struct SourceLine {
  std::string file;  // as the compiler was given it; empty where unknown
  int line = 0;
};

// Asks addr2line, once for each address: only a program that has found a race pays for it. Needs
// code compiled with line tables; without addr2line the answer is empty.
const SourceLine& source_line(const void* return_address);

}  // namespace oddtile::simulator
