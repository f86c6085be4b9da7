// Small worlds in full: every size up to just past two tiles (or three warps), with everything that
// a size can meet. What a random search may miss at such sizes, this cannot.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "properties/harness/harness.h"

namespace oddtile::properties {

// A product of finite sets of cases. `sizes` leading factors are walked in full even in a sample.
struct World {
  std::string name;     // "attention"
  std::string product;  // its factors in words
  std::vector<int64_t> factors;
  size_t sizes = 0;
  std::function<oracles::Case(const std::vector<int64_t>& digits)> make;
  // Tile that the judged configuration must have; 0: any.
  int32_t tile_rows = 0, tile_columns = 0;

  int64_t size() const;
  oracles::Case at(int64_t index) const;  // 0 <= index < size()
  // In a sample each combination of the leading factors meets one of the others, in turn.
  int64_t sample_size() const;
  int64_t sampled(int64_t index) const;  // the index in the world
};

// attention: seq_q and seq_k up to two of its smallest tiles + 2. softmax: up to 98 columns.
// vector_add: every alignment of each pointer. All for "fused".
std::vector<World> small_worlds(const Machine& machine);

struct WorldOptions {
  bool sample = false;
  double seconds_at_most = std::numeric_limits<double>::infinity();
  int threads = 0;  // 0: one per core
  const std::atomic<bool>* stop = {};
  std::function<void(int64_t done, int64_t total)> progress;
};

struct Coverage {
  std::string world, product;
  int64_t size = 0;    // cases of the whole world
  int64_t wanted = 0;  // of them, in this run: all, or the sample
  int64_t run = 0;
  int64_t judged = 0;                 // elements
  int64_t not_judged = 0;             // outside the domain of a bound
  int64_t failed = 0;                 // cases
  std::vector<std::string> failures;  // the first reports, whole

  bool complete() const { return run == size && failed == 0; }
  std::string text() const;  // "covered: complete (N cases, M elements judged)", "covered: N of M"
};

Coverage cover(const World& world, Machine& machine, const WorldOptions& options);

}  // namespace oddtile::properties
