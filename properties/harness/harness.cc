#include "properties/harness/harness.h"

#include <fmt/format.h>

#include "properties/harness/buffers.h"

namespace oddtile::properties {

Outcome run_workload(const oracles::Workload& workload, const oddtile_implementation& which,
                     Machine& machine, uint64_t schedule, uint8_t surroundings) {
  Outcome outcome;
  Buffers buffers(workload, machine, surroundings);
  if (!buffers.ready()) {
    outcome.status = oddtile_launch_failed;
    outcome.violations.push_back("the machine has no memory for the tensors of this case");
    return outcome;
  }
  const oddtile_problem problem = buffers.problem();
  const Choice choice = choose_configuration(which, problem, workload.subject.configuration);
  outcome.configuration = choice.id;
  outcome.position = choice.position;
  if (outcome.configuration < 0) return outcome;  // not offered: status stays `unsupported`

  outcome.status = which.describe(&problem, outcome.configuration, &outcome.declared);
  outcome.profile = oracles::sharpened(outcome.declared, machine.hardware());
  if (outcome.status != oddtile_ok) {
    outcome.violations.push_back("describe() refuses an id that configurations() gave");
    return outcome;
  }
  const int64_t workspace_bytes = which.workspace_bytes(&problem, outcome.configuration);
  if (workspace_bytes < 0 || !buffers.add_workspace(workspace_bytes)) {
    outcome.status = oddtile_launch_failed;
    outcome.violations.push_back(
        fmt::format("no workspace of the {} bytes asked for", workspace_bytes));
    return outcome;
  }

  machine.begin(schedule);
  buffers.allow();
  outcome.status =
      launch(which, problem, outcome.configuration, buffers.workspace(), machine.stream());
  const std::string error = machine.synchronise();
  if (!error.empty()) outcome.violations.push_back("the machine reports: " + error);
  outcome.launched = outcome.status == oddtile_ok;
  outcome.hazards = machine.hazards();
  outcome.counters = machine.counters();
  outcome.trace_hash = machine.trace_hash();
  if (machine.lost()) return outcome;  // nothing can be read back

  outcome.buffers = buffers.read();
  for (std::string& line : buffers.violations(outcome.buffers)) {
    outcome.violations.push_back(std::move(line));
  }
  return outcome;
}

}  // namespace oddtile::properties
