// The self-test by removal: is every synchronisation word of every kernel needed? Each is switched
// off, one at a time, and the kernel runs under schedule after schedule until a hazard or a changed
// bit shows it. A word that nothing shows has to be on a list, with the reason; the list may only
// shrink. (Words are barriers, waits, commits, arrivals and fences; kernels/sim/sites.h.)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "properties/harness/synchronisation.h"

namespace oddtile::properties {

// A line of redundant.txt: <kernel> <implementation> <file> <word> <which> <why>. `which` counts
// the calls of that word in that file that the kernel comes by, from 1: lines of the source move.
struct Redundant {
  std::string kernel, implementation, file, word;
  int which = 0;
  std::string why;  // a proof in a sentence, or how many schedules were clean
};

// Lines that start with '#' say what the file is. Empty with a line in *complaint when it cannot be
// read or a line has another form; an empty list is none.
std::vector<Redundant> read_redundant(const std::string& path, std::string* complaint);

struct Removal {
  std::string kernel, implementation;
  SynchronisationWord word;
  int which = 0;           // as in Redundant
  int configurations = 0;  // that come by the word
  int caught_in = 0;       // of them
  int64_t schedules = 0;   // until the first of them was caught; run in all, where none was
  std::string by;          // hazard's kind or "wrong bits", of the first; empty: not caught
  std::string first_case;  // as text, with its schedule
  std::string why;         // from the list
  bool caught() const { return !by.empty(); }
};

struct RemovalOptions {
  std::string kernel;           // empty: all
  int64_t schedules = 1000;     // of each configuration, at most
  int64_t schedules_whole = 2;  // with every word in place
  bool sees_races = true;       // else a word that nothing shows is no finding: it may need that
  std::vector<Redundant> redundant;
  std::function<void(const Removal&)> progress;
};

struct RemovalResult {
  std::vector<Removal> removals;
  int64_t runs = 0;
  // (case, schedule) pairs of kernels as they stand that were clean and gave the bits of the plain
  // schedule, by kernel.
  std::map<std::string, int64_t> same_bits;
  // Words neither caught nor listed, where races are not seen.
  int64_t unseen = 0;
  // One a line: a word neither caught nor listed where races are seen, a listed one that
  // is caught or no longer there, a kernel that is not the same under every schedule as it stands.
  std::vector<std::string> findings;
};

// Everything that `machine`, a simulator, implements.
RemovalResult search_removals(Machine& machine, const RemovalOptions& options);

// The cases: for each configuration of the kernel one that makes its words necessary.
std::vector<oracles::Case> removal_cases(oddtile_kernel kernel, const oddtile_implementation& which,
                                         Machine& machine);

}  // namespace oddtile::properties
