// One step of a soundness search: a case and a legitimate kernel, drawn from a seed and an index
// alone, run and judged with every bound.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "oracles/judge/judge.h"
#include "properties/harness/harness.h"
#include "properties/search/state.h"

namespace oddtile::properties {

// A kernel that must never leave its bounds. The simulator computes as IEEE arithmetic would, or
// with the errors that were measured on a GPU.
struct Contender {
  std::string name;  // "fused", "eager", "fused as nvidia-h200", "emulated"
  const oddtile_implementation* table = nullptr;
  const oracles::HardwareProfile* hardware = nullptr;  // imitated; null: the machine's own
};
// Those of a kernel on a machine; a table stands there several times where it is to be drawn more
// often.
std::vector<Contender> contenders(oddtile_kernel kernel, const Machine& machine);

// What the simulator computes with from now on; other machines have no choice.
void use_arithmetic(Machine& machine, const Contender& which);

// The line that runs a case again and judges it alike.
std::string replay(const oracles::Case& subject, const Contender& which, const Machine& machine);

// Name of the recipe that made the values, for attention the scores: "last_max", "peaked".
std::string family_of(const oracles::Case& subject);

// Items of attempts that may be drawn; the same seed, cell and index give the same one.
struct Drawn {
  oracles::Case subject;
  size_t contender = 0;
};
Drawn draw_attempt(const Cell& cell, uint64_t seed, int64_t index, size_t contender_count,
                   int64_t work_at_most);

struct Attempt {
  Drawn drawn;
  bool offered = false;
  std::string violation;  // one line, empty: everything holds
  oracles::Judgement judgement;
};

// Runs the case and judges every element. `launching` is held while the machine works: null for a
// machine of this thread's own.
Attempt attempt(const Drawn& drawn, const Contender& which, Machine& machine,
                std::mutex* launching);

// What is wrong with a run of a right kernel: its status, hazards, bytes outside, or the judgement.
// Empty where everything holds.
std::string violation_of(const Outcome& outcome, const oracles::Judgement& judgement);

// Adds an attempt to the totals.
void count_attempt(const Attempt& attempt, const Cell& cell, const Contender& which,
                   const Machine& machine, SearchState* state);

}  // namespace oddtile::properties
