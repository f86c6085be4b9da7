#include "properties/checks/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

std::string shell_word(const std::string& text) {
  if (text.find_first_of(" '\"$&();<>|*?`\\") == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string replay_line(const oracles::Case& subject, const oddtile_implementation& which,
                        const Machine& machine) {
  const std::string text = oracles::print(subject);
  const std::string plugin = plugin_path(which);
  const auto built_in = machine.implementations();
  if (plugin.empty() && std::find(built_in.begin(), built_in.end(), &which) == built_in.end()) {
    return fmt::format("case '{}': {} is not reachable from the command line", text, which.name);
  }
  std::string line = fmt::format("oddtile run '{}'", text);
  if (machine.name() != "sim") line += " --machine " + machine.name();
  if (!machine.arithmetic().empty()) line += " --arithmetic " + machine.arithmetic();
  if (!plugin.empty()) return line + " --plugin " + shell_word(plugin);
  if (std::string(which.name) != "fused") line += fmt::format(" --implementation {}", which.name);
  return line;
}

std::string failure_report(const oracles::Case& subject, const oddtile_implementation& which,
                           const Machine& machine, const Outcome& outcome,
                           const std::vector<Broken>& broken) {
  std::string text;
  for (const Broken& item : broken) {
    text += fmt::format("{}: {} of {} on {}, config={} ({})\n", item.property,
                        oracles::kernel_name(subject.kernel()), which.name, machine.name(),
                        outcome.position, outcome.profile.name);
    for (const std::string& line : item.evidence) text += "  " + line + "\n";
    if (item.more > 0) text += fmt::format("  ... and {} more\n", item.more);
  }
  return text + replay_line(subject, which, machine) + "\n";
}

}  // namespace oddtile::properties
