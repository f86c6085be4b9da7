// The synchronisation words of kernels on the simulator, by the place of their call: which there
// are, and switching one off without compiling anything. For the self-test by removal
// (properties/search/removal.h). The machine has to be a simulator; asserted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/harness/harness.h"

namespace oddtile::properties {

struct SynchronisationWord {
  std::string word;  // "sync_block"
  std::string file;  // path from the repository's root
  int line = 0;
  int64_t count = 0;  // times that a lane came by
};

// Counting costs a little at each word, so it is on only where it is wanted.
void list_synchronisation(Machine& machine, bool wanted);
// Those that lanes have ever come by while they were listed, in order of file and line.
std::vector<SynchronisationWord> synchronisation_words(Machine& machine);

// Whether every access of the kernels in this program is looked at for races.
bool watches_races(Machine& machine);

// While it lives, the word at this place does nothing.
class Without {
 public:
  Without(Machine& machine, const SynchronisationWord& which);
  ~Without();
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  Machine& machine_;
};

}  // namespace oddtile::properties
