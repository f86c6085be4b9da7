// What a soundness search has found so far: a value that survives in a file, so that a search may
// be interrupted and go on. Going on gives the same totals, to the last bit, as never stopping.
//
// The file is versioned text, one fact a line, fields separated by tabs.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/api/kernels.h"
#include "oracles/judge/judge.h"

namespace oddtile::properties {

// A kernel in one type: what counts towards the number of outputs asked for.
struct Cell {
  oddtile_kernel kernel = oddtile_kernel_softmax;
  oddtile_dtype dtype = oddtile_fp32;
  auto operator<=>(const Cell&) const = default;
};
std::vector<Cell> all_cells();
std::string cell_name(const Cell& cell);  // "softmax fp32"

struct CellProgress {
  int64_t next = 0;    // index of the next case to draw
  int64_t judged = 0;  // outputs
};

// Totals of one contender (see contender.h) in one cell.
struct Total {
  int64_t cases = 0;
  int64_t vacuous = 0;
  int64_t declined = 0;  // cases that it does not offer
  int64_t judged = 0;
  int64_t not_judged = 0;
  int64_t escalated = 0;
  double worst_share = 0;  // of the whole bound
};

// Of one output of one contender in one cell, over all its cases.
struct QuantityName {
  Cell cell;
  std::string contender;
  std::string quantity;  // "out", "y", "o", "lse"
  auto operator<=>(const QuantityName&) const = default;
};
struct QuantityTotal {
  int64_t judged = 0;
  int64_t not_judged = 0;
  double worst_share = 0;  // of the whole bound
  // In which regimes and families there was a number with a bound.
  std::array<bool, 3> drawn = {false, false, false};
  std::set<std::string> families;
};

// Where a share was reached. `regime`: 0: rows of at most 16 live keys or columns, 1: at most 256,
// 2: more.
struct Place {
  Cell cell;
  std::string contender;
  std::string quantity;  // "y", "o", "lse"
  int regime = 0;
  std::string family;  // of values or scores: "last_max"
  auto operator<=>(const Place&) const = default;
};
inline constexpr const char* kRegimes[] = {"n <= 16", "n <= 256", "n > 256"};

// The largest share net of the output's own rounding, and the line that shows it again.
struct Worst {
  double net = 0;
  std::string replay;
};

// Where a hill climb came from and how far it got.
struct Climbed {
  int64_t evaluations = 0;
  double first = 0;  // the best of the first ten cases
  double net = 0;
  int regime = 0;
  int64_t changes = 0;        // of the stored numbers, on the way
  std::string configuration;  // of the implementation
  std::string subject;        // the case whose numbers were changed
};
using ClimbName = QuantityName;

// A share as it is kept: 24 bits of it, more than it means; double's own error lies below.
constexpr double kept(double share) {
  return double(float(share));
}

struct SearchState {
  std::string build;  // of the program; another one's numbers do not add up with these
  std::string machine;
  uint64_t seed = 0;
  double seconds = 0;
  std::map<Cell, CellProgress> cells;
  std::map<std::pair<Cell, std::string>, Total> totals;
  std::map<QuantityName, QuantityTotal> quantities;
  std::map<Place, Worst> worst;
  std::map<ClimbName, Climbed> climbs;
  std::vector<std::string> violations;  // one line each, the replay line last

  int64_t judged() const;
  void note_worst(const Place& place, double net, const std::string& replay);
};

std::string print(const SearchState& state);
// Throws std::invalid_argument with one line, "line 7: ...".
SearchState parse_state(const std::string& text);

// Through a second file, so that an interruption never leaves half a state. Throws
// std::runtime_error.
void save(const SearchState& state, const std::string& path);
bool load(const std::string& path, SearchState* state);  // false: there is no such file

}  // namespace oddtile::properties
