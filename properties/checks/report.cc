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

std::string element_text(const oracles::Tensor& tensor, int64_t byte, int64_t size) {
  int64_t rest = byte / size - tensor.offset;
  int64_t at[4] = {0, 0, 0, 0};
  // Strides of an output are positive and its elements do not overlap, so taking the largest
  // stride first finds the index.
  int order[4] = {0, 1, 2, 3};
  std::sort(order, order + 4, [&](int a, int b) { return tensor.strides[a] > tensor.strides[b]; });
  for (int dimension : order) {
    if (tensor.sizes[dimension] <= 1 || tensor.strides[dimension] <= 0) continue;
    at[dimension] = std::min(rest / tensor.strides[dimension], tensor.sizes[dimension] - 1);
    rest -= at[dimension] * tensor.strides[dimension];
  }
  return fmt::format("{}[{},{},{},{}]", oracles::role_name(tensor.role), at[0], at[1], at[2],
                     at[3]);
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
