// `oddtile removal`: each synchronisation word of each kernel switched off, and what shows it. In
// the program oddtile_watched a race shows it, too.
#include <fmt/format.h>

#include <cstdio>

#include "properties/search/removal.h"
#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"

namespace oddtile::reports {

using properties::Removal;

int removal_command(const RemovalCommandOptions& options) {
  properties::RemovalOptions search;
  search.kernel = options.kernel;
  search.schedules = options.schedules;
  search.schedules_whole = options.whole;
  const bool watched = properties::watches_races(properties::sim_machine());
  search.sees_races = watched;
  if (!options.redundant.empty()) {
    std::string complaint;
    search.redundant = properties::read_redundant(options.redundant, &complaint);
    if (!complaint.empty()) throw WrongUse(complaint);
  }
  fmt::print("{:<10} {:<6} {:<38} {:<14} {:<24} {:>6} {}\n", "kernel", "", "place", "word",
             "caught by", "runs", "configurations");
  search.progress = [](const Removal& r) {
    fmt::print("{:<10} {:<6} {:<38} {:<14} {:<24} {:>6} {} of {}\n", r.kernel, r.implementation,
               fmt::format("{}:{}", r.word.file, r.word.line), r.word.word,
               r.caught() ? r.by : "nothing", r.schedules, r.caught_in, r.configurations);
    if (r.caught() && r.schedules > 1) fmt::print("  first in {}\n", r.first_case);
    if (!r.why.empty()) fmt::print("  redundant: {}\n", r.why);
    std::fflush(stdout);
  };
  const auto result = properties::search_removals(properties::sim_machine(), search);
  size_t caught = 0;
  for (const Removal& removal : result.removals) caught += removal.caught();
  for (const std::string& finding : result.findings) fmt::print("{}\n", finding);
  for (const auto& [kernel, pairs] : result.same_bits) {
    fmt::print("{}: {} pairs of case and schedule with every word in place, the same bits{}\n",
               kernel, pairs, watched ? ", no race" : "");
  }
  if (result.unseen != 0) {
    fmt::print("{} words are missed by nothing here; oddtile_watched sees races, too\n",
               result.unseen);
  }
  fmt::print("{} of {} words caught, {} runs, {} findings\n", caught, result.removals.size(),
             result.runs, result.findings.size());
  if (result.removals.empty()) throw WrongUse("no kernel of that name has a word");
  return result.findings.empty() ? 0 : 1;
}

}  // namespace oddtile::reports
