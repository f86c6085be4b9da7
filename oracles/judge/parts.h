// One part of the judge per kernel. Private to oracles/judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracles/judge/judge.h"
#include "oracles/judge/tally.h"

namespace oddtile::oracles {

// What a kernel's part hands back; judge() makes a verdict of it.
struct Outcome {
  struct Part {
    Role role;
    Tally tally;
  };
  std::vector<Part> parts;
  int64_t bounded_rows = 0;  // rows decided by bounds, not by exact classes
  int64_t trivial_rows = 0;  // of these, with a bound that says nothing
  int64_t skipped_rows = 0;  // live ones outside the domain
  int64_t edge_keys = 0, visible_edge_keys = 0;
  int64_t escalated = 0;      // elements recomputed in multiprecision
  int64_t fully_bounded = 0;  // elements whose bound was computed in full
};

// Everything a part reads: the workload before the run and the outputs after it.
struct Evidence {
  const Workload& workload;
  std::span<const std::vector<std::byte>> outputs;
  const oddtile_profile& profile;
  const Sampling& sampling;

  // The bytes of output tensor `index` after the run; an alias may stand under the tensor it
  // shares.
  std::span<const std::byte> after(int index) const;
};

Outcome judge_vector_add(const Evidence& evidence);
Outcome judge_softmax(const Evidence& evidence);
Outcome judge_attention(const Evidence& evidence);

// Ratios this close to 1 are decided in multiprecision (oracles/exact/README.md has the proof that
// double's own error is below 2^-20 of any bound).
inline constexpr double kEscalationWindow = 0x1p-16;

// Ascending rows of `rows` to judge: all, or the first, the last, those at the edges of `period`
// rows (0: no edges) within every stretch of `stretch` rows, and random ones. Where there are more
// edges than rows_at_most, every edge of a stretch is taken once, of a random stretch.
std::vector<int64_t> sampled_rows(int64_t rows, int64_t stretch, int64_t period,
                                  const Sampling& sampling);

// The findings as lines, worst first.
std::string explain(const Outcome& outcome, const Evidence& evidence);

}  // namespace oddtile::oracles
