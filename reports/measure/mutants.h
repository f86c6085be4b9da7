// The mutants that were built beside the program as plug-ins (properties/mutants/criteria.txt).
#pragma once

#include <string>
#include <vector>

#include "properties/harness/harness.h"

namespace oddtile::reports {

struct Mutant {
  std::string name;
  std::string kernel;
  std::string promise;  // that it breaks, a sentence
  const oddtile_implementation* table = nullptr;
};

// What index.txt of the folder lists, loaded from `<name>.so` beside it. Empty, with a one-line
// reason: there is none, or it is malformed, or one of them cannot be loaded. `*built` says whether
// there is an index at all: without one nobody has built them, which is no failure.
std::vector<Mutant> load_mutants(const std::string& folder, std::string* reason, bool* built);

// Where the build leaves them: the folder `mutants` beside the running program.
std::string mutants_folder();

}  // namespace oddtile::reports
