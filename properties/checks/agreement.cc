#include "properties/checks/agreement.h"

#include <fmt/format.h>

#include <cmath>

#include "oracles/judge/judge.h"
#include "properties/checks/report.h"
#include "properties/harness/buffers.h"

namespace oddtile::properties {
namespace {

using oracles::Tensor;
using oracles::Workload;

// The case that asks `runner` for the configuration `id`; its position is -1 where there is none.
oracles::Case with_configuration(const Workload& workload, const Runner& runner, int32_t id) {
  oracles::Case subject = workload.subject;
  const Buffers buffers(workload, runner.machine, 0);
  const oddtile_problem problem = buffers.problem();
  for (int64_t position = 0;; ++position) {
    const Choice choice = choose_configuration(runner.which, problem, position);
    subject.configuration = choice.id == id ? position : -1;
    if (choice.id == id || choice.position != position) return subject;
  }
}

// Empty, or why a run is worth no comparison.
std::string complaint(const Workload& workload, const Outcome& outcome, const Runner& runner) {
  if (!outcome.clean()) {
    return fmt::format("the run on {} is not clean: status {}{}{}", runner.machine.name(),
                       int(outcome.status),
                       outcome.violations.empty() ? "" : ", " + outcome.violations[0],
                       outcome.hazards.empty() ? "" : ", " + outcome.hazards[0].text);
  }
  const oracles::Judgement judgement =
      oracles::judge(workload, outcome.buffers, outcome.profile, {});
  if (judgement.verdict != oracles::Verdict::fail) return {};
  return fmt::format("{}: {}", runner.machine.name(), judgement.explanation);
}

Bits compare_bits(const Tensor& tensor, const std::vector<std::byte>& one,
                  const std::vector<std::byte>& two) {
  Bits bits = {.role = tensor.role};
  const int64_t size = oracles::element_bytes(tensor.element);
  for_each_logical_run(tensor, [&](int64_t, int64_t bytes) { bits.elements += bytes / size; });
  for_each_difference(tensor, one, two, [&](int64_t at) {
    const double a = oracles::value_at(one, tensor.element, at / size);
    const double b = oracles::value_at(two, tensor.element, at / size);
    if (std::isnan(a) && std::isnan(b)) return;
    if (bits.others++ > 0) return;
    bits.first = fmt::format("{}: {} and {}", element_text(tensor, at, size), a, b);
  });
  return bits;
}

}  // namespace

std::string first_difference(const Agreement& agreement) {
  for (const Bits& bits : agreement.outputs) {
    if (bits.others > 0) return bits.first;
  }
  return {};
}

Agreement compare_runs(const oracles::Case& subject, const Runner& one, const Runner& two) {
  Agreement agreement;
  Workload workload = oracles::materialise(subject, oracles::Poison::nan);
  const Outcome first = run_workload(workload, one.which, one.machine, subject.schedule);
  if (first.configuration < 0) return agreement;
  workload.subject = with_configuration(workload, two, first.configuration);
  if (workload.subject.configuration < 0) return agreement;
  const Outcome second = run_workload(workload, two.which, two.machine, subject.schedule);

  agreement.compared = true;
  agreement.broken = complaint(workload, first, one);
  if (agreement.broken.empty()) agreement.broken = complaint(workload, second, two);
  if (!agreement.broken.empty()) return agreement;
  for (size_t i = 0; i < workload.tensors.size(); ++i) {
    if (!workload.tensors[i].is_output) continue;
    agreement.outputs.push_back(
        compare_bits(workload.tensors[i], first.buffers[i], second.buffers[i]));
  }
  return agreement;
}

}  // namespace oddtile::properties
