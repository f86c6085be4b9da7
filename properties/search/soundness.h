// Random search over legitimate kernels: nothing it draws may ever leave a bound, and how near each
// bound anything came says whether the bound is worth having.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <optional>

#include "properties/search/attempt.h"

namespace oddtile::properties {

struct SearchOptions {
  int64_t outputs = 0;  // to judge in each cell: a kernel in one type
  std::optional<oddtile_kernel> kernel;
  double seconds_at_most = std::numeric_limits<double>::infinity();
  int threads = 0;                     // 0: one per core
  std::string state_path;              // empty: nothing is kept
  const std::atomic<bool>* stop = {};  // set from outside: end soon, keeping what is complete
  // Called every few seconds and at the end.
  std::function<void(const SearchState&)> progress;
  // Only tests: instead of contenders().
  std::function<std::vector<Contender>(oddtile_kernel, const Machine&)> contenders = {};
};

std::vector<Cell> wanted_cells(const SearchOptions& options);

// Goes on from `state` until every cell has its outputs, a violation is found, time is up or it is
// told to stop; true in the first case. Cases are counted in the order of their indices, up to the
// one that completes a cell: totals depend neither on threads nor on interruptions.
bool search_soundness(Machine& machine, const SearchOptions& options, SearchState* state);

}  // namespace oddtile::properties
