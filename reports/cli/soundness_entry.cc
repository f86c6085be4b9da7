#include "reports/cli/soundness_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/case/fields.h"

namespace oddtile::reports {
namespace {

using properties::Cell;
using properties::SearchState;

std::vector<std::string> quantities_of(oddtile_kernel kernel) {
  switch (kernel) {
    case oddtile_kernel_vector_add:
      return {"out"};
    case oddtile_kernel_softmax:
      return {"y"};
    case oddtile_kernel_attention:
      return {"o", "lse"};
  }
  return {};
}

// A climb depends on the seed, its own name and the number of its steps alone, so all climbs of its
// kernel can be made without the search before them.
std::string climb_again(const SearchState& state, const Cell& cell, int64_t evaluations) {
  return fmt::format("oddtile soundness --machine {} --kernel {} --seed {} --outputs 0 --climb {}",
                     state.machine, oracles::kernel_name(cell.kernel), state.seed, evaluations);
}

SoundnessQuantity quantity_entry(const SearchState& state, const Cell& cell,
                                 const std::string& name) {
  SoundnessQuantity entry = {name, int64_t{0}, 0.0, {}, {}, {}, {}};
  std::array<bool, 3> drawn = {};
  std::set<std::string> families;
  for (const auto& [which, total] : state.quantities) {
    if (which.cell != cell || which.quantity != name) continue;
    *entry.judged += total.judged;
    entry.worst_share = std::max(*entry.worst_share, total.worst_share);
    for (size_t regime = 0; regime < 3; ++regime)
      drawn[regime] = drawn[regime] || total.drawn[regime];
    families.insert(total.families.begin(), total.families.end());
  }
  entry.regimes.emplace();
  for (size_t regime = 0; regime < 3; ++regime)
    if (drawn[regime]) entry.regimes->push_back(properties::kRegimes[regime]);
  entry.families.emplace(families.begin(), families.end());
  for (const auto& [place, worst] : state.worst) {
    if (place.cell != cell || place.quantity != name) continue;
    entry.shares.push_back({place.contender, properties::kRegimes[place.regime], place.family,
                            worst.net, worst.replay});
  }
  for (const auto& [which, c] : state.climbs) {
    if (which.cell != cell || which.quantity != name) continue;
    entry.climbs.push_back({which.contender, properties::kRegimes[c.regime], c.configuration,
                            c.evaluations, c.changes, c.first, c.net, c.subject,
                            climb_again(state, cell, c.evaluations)});
  }
  return entry;
}

SoundnessCell cell_entry(const SearchState& state, const Cell& cell) {
  SoundnessCell entry;
  entry.kernel = oracles::kernel_name(cell.kernel);
  entry.dtype = oracles::names(cell.dtype)[size_t(cell.dtype)];
  for (const auto& [key, total] : state.totals) {
    if (key.first != cell) continue;
    entry.contenders.push_back({key.second, total.cases, total.vacuous, total.declined,
                                total.judged, total.not_judged, total.escalated,
                                total.worst_share});
  }
  for (const std::string& name : quantities_of(cell.kernel))
    entry.quantities.push_back(quantity_entry(state, cell, name));
  return entry;
}

}  // namespace

SoundnessEntry soundness_entry(const SearchState& state, int64_t wanted, bool complete) {
  SoundnessEntry entry;
  entry.machine = state.machine;
  entry.seed = int64_t(state.seed);
  entry.wanted = wanted;
  entry.complete = complete;
  entry.violations = state.violations;
  for (const auto& [cell, progress] : state.cells) entry.cells.push_back(cell_entry(state, cell));
  return entry;
}

}  // namespace oddtile::reports
