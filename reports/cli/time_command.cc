// `oddtile time '<case>'`: one case timed beside its eager baseline (and a plug-in), judged.
#include <fmt/format.h>

#include "reports/cli/selection.h"
#include "reports/measure/timing.h"

namespace oddtile::reports {

int time_command(Selection selection) {
  const oracles::Case subject = chosen_case(selection);
  properties::Machine& machine = machine_named(selection.machine);
  std::string reason;
  const std::unique_ptr<Timer> timer = make_timer(machine, &reason);
  if (timer == nullptr) throw WrongUse("cannot time: " + reason);
  std::vector<Contender> contenders;
  for (const oddtile_implementation* which : machine.implementations()) {
    contenders.push_back({which, {}});
  }
  if (!selection.plugin.empty()) {
    contenders.push_back({&chosen_implementation(selection, machine), {}});
  }
  std::vector<Skip> skips;
  const std::vector<TimingEntry> entries =
      time_point({subject, edge_case(subject)}, contenders, machine, *timer, {}, &skips);
  bool clean = !entries.empty();
  if (selection.json) {
    fmt::print("{}", to_json(entries));
  } else {
    for (const TimingEntry& e : entries) {
      const std::string rate =
          e.rate_unit.empty() ? "no rate" : fmt::format("{:.1f} {}", e.rate, e.rate_unit);
      fmt::print("{:<16} {:>10.2f} us [{:.2f} .. {:.2f}]  {:>16}  {} ({}, edges {})",
                 e.implementation, e.us_median, e.us_lower, e.us_upper, rate,
                 e.verified ? "verified" : "NOT VERIFIED", e.verdict, e.edge_verdict);
      if (!e.baseline.empty()) {
        fmt::print("  {:.3f} of {} [{:.3f}, {:.3f}]", e.ratio, e.baseline, e.ratio_low,
                   e.ratio_high);
      }
      fmt::print("\n");
    }
  }
  for (const Skip& skip : skips) fmt::print(stderr, "not timed: {}: {}\n", skip.what, skip.reason);
  for (const TimingEntry& entry : entries) clean = clean && entry.verified;
  for (const Skip& skip : skips) clean = clean && !skip.broken;
  return clean ? 0 : 1;
}

}  // namespace oddtile::reports
