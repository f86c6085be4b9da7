#include "properties/checks/report.h"

#include <fmt/format.h>

#include "oracles/case/text.h"

namespace oddtile::properties {

std::string replay_line(const oracles::Case& subject, const oddtile_implementation& which,
                        const Machine& machine) {
  std::string line = fmt::format("oddtile run '{}'", oracles::print(subject));
  if (machine.name() != "sim") line += " --machine " + machine.name();
  if (std::string(which.name) != "fused") line += fmt::format(" --implementation {}", which.name);
  return line;
}

std::string failure_report(const oracles::Case& subject, const oddtile_implementation& which,
                           const Machine& machine, const Outcome& outcome,
                           const std::vector<Broken>& broken) {
  std::string text;
  for (const Broken& item : broken) {
    text += fmt::format("{}: {} of {} on {}, configuration {} ({})\n", item.property,
                        oracles::kernel_name(subject.kernel()), which.name, machine.name(),
                        outcome.configuration, outcome.profile.name);
    for (const std::string& line : item.evidence) text += "  " + line + "\n";
    if (item.more > 0) text += fmt::format("  ... and {} more\n", item.more);
  }
  return text + replay_line(subject, which, machine) + "\n";
}

}  // namespace oddtile::properties
