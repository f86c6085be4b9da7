#include "properties/search/climb.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/case/text.h"
#include "properties/search/crew.h"
#include "properties/search/moves.h"

namespace oddtile::properties {
namespace {

using oracles::Workload;

constexpr int64_t kFirstCases = 10;

// The share of one evaluation, and where.
struct Height {
  double net = 0;
  int regime = 0;
  std::string configuration, violation;
};

class Climber {
 public:
  Climber(const Climb& what, Machine& machine, std::mutex* launching)
      : what_(what), machine_(machine), launching_(launching) {}

  Height height(const Workload& workload) const {
    Outcome outcome;
    {
      std::unique_lock<std::mutex> lock;
      if (launching_ != nullptr) lock = std::unique_lock(*launching_);
      use_arithmetic(machine_, what_.which);
      outcome = run_workload(workload, *what_.which.table, machine_, workload.subject.schedule);
    }
    Height height;
    if (outcome.configuration < 0 && outcome.violations.empty()) return height;
    oracles::Judgement judgement;
    if (outcome.status == oddtile_ok && !machine_.lost())
      judgement = oracles::judge(workload, outcome.buffers, outcome.profile,
                                 {.effort = oracles::Effort::full});
    height.violation = violation_of(outcome, judgement);
    height.configuration = outcome.profile.name;
    for (const oracles::Quantity& quantity : judgement.quantities) {
      if (oracles::role_name(quantity.role) != what_.quantity) continue;
      for (int regime = 0; regime < 3; ++regime) {
        const double net = kept(quantity.worst_net[size_t(regime)]);
        if (net > height.net) {
          height.net = net;
          height.regime = regime;
        }
      }
    }
    return height;
  }

 private:
  const Climb& what_;
  Machine& machine_;
  std::mutex* launching_;
};

// A distinct stream for each climb, so that none depends on which others are made.
uint64_t stream_of(const Climb& what) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : cell_name(what.cell) + what.which.name + what.quantity)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace

std::vector<Climb> all_climbs(const Machine& machine) {
  std::vector<Climb> climbs;
  for (const Cell& cell : all_cells()) {
    if (cell.kernel == oddtile_kernel_vector_add) continue;
    std::vector<std::string> names;
    for (const Contender& which : contenders(cell.kernel, machine)) {
      if (std::count(names.begin(), names.end(), which.name) > 0) continue;
      names.push_back(which.name);
      if (cell.kernel == oddtile_kernel_softmax) {
        climbs.push_back({cell, which, "y"});
      } else {
        climbs.push_back({cell, which, "o"});
        climbs.push_back({cell, which, "lse"});
      }
    }
  }
  return climbs;
}

Summit climb(const Climb& what, const ClimbOptions& options, Machine& machine,
             std::mutex* launching) {
  const Climber climber(what, machine, launching);
  Random random = Random(options.seed).split(stream_of(what));
  Summit summit;
  Climbed& best = summit.climbed;
  oracles::Case subject;
  Workload numbers;
  const auto reach = [&](const Height& height, Workload&& there) {
    best.net = height.net;
    best.regime = height.regime;
    best.configuration = height.configuration;
    summit.violation = height.violation;
    numbers = std::move(there);
  };
  int64_t& step = best.evaluations;
  for (; step < options.evaluations && summit.violation.empty() && !options.stopped(); ++step) {
    // A third of the steps choose the case, the others its numbers.
    if (3 * step < options.evaluations || numbers.tensors.empty()) {
      const bool fresh = step < kFirstCases || numbers.tensors.empty();
      const oracles::Case near = fresh ? small_case(what.cell, random) : neighbour(subject, random);
      Workload next = oracles::materialise(near, oracles::Poison::nan);
      const Height height = climber.height(next);
      if (height.violation.empty() && height.net <= best.net) continue;
      reach(height, std::move(next));
      if (step < kFirstCases) best.first = height.net;
      subject = near;
      continue;
    }
    Workload next = numbers;
    change_numbers(next, random);
    const Height height = climber.height(next);
    // Equal heights count: a plateau is crossed, not stood on.
    if (height.violation.empty() && height.net < best.net) continue;
    reach(height, std::move(next));
    ++best.changes;
  }
  best.subject = oracles::print(subject);
  return summit;
}

bool climb_all(Machine& machine, const SearchOptions& options, int64_t evaluations,
               SearchState* state) {
  std::vector<Climb> open;
  for (const Climb& what : all_climbs(machine)) {
    const bool wanted = !options.kernel || *options.kernel == what.cell.kernel;
    if (wanted && !state->climbs.contains({what.cell, what.which.name, what.quantity}))
      open.push_back(what);
  }
  Crew crew(machine, options);
  ClimbOptions climbing = {.seed = state->seed, .evaluations = evaluations};
  climbing.stopped = [&] { return crew.stopped(); };
  std::mutex keeping;
  crew.run(int64_t(open.size()), [&](int64_t at, Machine& own, std::mutex* launching) {
    const Climb& what = open[size_t(at)];
    const Summit summit = climb(what, climbing, own, launching);
    const std::lock_guard<std::mutex> lock(keeping);
    if (!summit.violation.empty()) {
      state->violations.push_back(fmt::format(
          "{}, {} {}: {}; {} changes of the numbers of '{}', climb again with seed={} and {} steps",
          what.which.name, cell_name(what.cell), what.quantity, summit.violation,
          summit.climbed.changes, summit.climbed.subject, state->seed, evaluations));
    } else if (summit.climbed.evaluations < evaluations) {
      return;
    }
    state->climbs[{what.cell, what.which.name, what.quantity}] = summit.climbed;
    if (!options.state_path.empty()) save(*state, options.state_path);
    if (options.progress) options.progress(*state);
  });
  return !crew.stopped();
}

}  // namespace oddtile::properties
