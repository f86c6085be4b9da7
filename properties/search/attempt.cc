#include "properties/search/attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/assert.h"
#include "oracles/case/fields.h"
#include "oracles/case/text.h"
#include "properties/gen/draw.h"
#include "properties/search/emulated.h"

namespace oddtile::properties {
namespace {

using oracles::Case;
using oracles::Verdict;

int64_t judged(const oracles::Judgement& judgement) {
  int64_t count = 0;
  for (const oracles::Quantity& quantity : judgement.quantities) count += quantity.judged;
  return count;
}

// Most cases are far below the limit: ten small cases find more than one large one.
int64_t budget(Random& random, int64_t work_at_most) {
  const uint32_t luck = random.below(10);
  return std::max<int64_t>(work_at_most / (luck < 6 ? 20 : luck < 9 ? 6 : 1), 1);
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, "; ");
  return text;
}

}  // namespace

std::vector<Contender> contenders(oddtile_kernel kernel, const Machine& machine) {
  const auto tables = machine.implementations();
  const Contender fused = {"fused", tables[0]}, eager = {"eager", tables[1]};
  if (machine.name() != "sim") return {fused, fused, fused, eager};
  if (kernel == oddtile_kernel_vector_add) return {fused, fused, fused, eager};
  std::vector<Contender> field = {fused, {"emulated", &emulated()}, eager};
  for (const std::string& name : oracles::hardware_names()) {
    const oracles::HardwareProfile* hardware = oracles::hardware_profile(name);
    if (name == "sim") continue;
    field.push_back({"fused as " + name, tables[0], hardware});
    field.push_back({"eager as " + name, tables[1], hardware});
  }
  return field;
}

void use_arithmetic(Machine& machine, const Contender& which) {
  machine.imitate(which.hardware);
}

std::string replay(const Case& subject, const Contender& which, const Machine& machine) {
  std::string line = fmt::format("oddtile run '{}'", oracles::print(subject));
  if (machine.name() != "sim") line += " --machine " + machine.name();
  const std::string name = which.table->name;
  if (name != "fused") line += " --implementation " + name;
  if (which.hardware != nullptr) line += " --arithmetic " + which.hardware->name;
  return line;
}

std::string family_of(const Case& subject) {
  const auto name = [](auto kind) { return oracles::names(kind)[size_t(kind)]; };
  if (const auto* c = std::get_if<oracles::VectorAddCase>(&subject.problem))
    return std::string(name(c->values));
  if (const auto* c = std::get_if<oracles::SoftmaxCase>(&subject.problem))
    return std::string(name(c->values));
  return std::string(name(std::get<oracles::AttentionCase>(subject.problem).scores));
}

Drawn draw_attempt(const Cell& cell, uint64_t seed, int64_t index, size_t contender_count,
                   int64_t work_at_most) {
  const auto stream = uint64_t(cell.kernel) * 4 + uint64_t(cell.dtype);
  Random random = Random(seed).split(stream).split(uint64_t(index));
  Drawn drawn;
  drawn.contender = random.below(uint32_t(contender_count));
  drawn.subject = draw(cell.kernel, random, budget(random, work_at_most));
  std::visit([&](auto& problem) { problem.dtype = cell.dtype; }, drawn.subject.problem);
  drawn.subject.configuration = int64_t(random.below(64));
  ODDTILE_ASSERT(oracles::impossible(drawn.subject).empty());
  return drawn;
}

std::string violation_of(const Outcome& outcome, const oracles::Judgement& judgement) {
  if (outcome.status != oddtile_ok) return fmt::format("status {}", int(outcome.status));
  if (!outcome.hazards.empty()) return outcome.hazards[0].text;
  if (!outcome.violations.empty()) return outcome.violations[0];
  if (judgement.verdict == Verdict::fail) return one_line(judgement.explanation);
  return {};
}

Attempt attempt(const Drawn& drawn, const Contender& which, Machine& machine,
                std::mutex* launching) {
  Attempt result{.drawn = drawn};
  const oracles::Workload workload = oracles::materialise(drawn.subject, oracles::Poison::nan);
  Outcome outcome;
  {
    std::unique_lock<std::mutex> lock;
    if (launching != nullptr) lock = std::unique_lock(*launching);
    use_arithmetic(machine, which);
    outcome = run_workload(workload, *which.table, machine, drawn.subject.schedule);
  }
  if (outcome.configuration < 0 && outcome.violations.empty()) return result;
  result.offered = true;
  if (outcome.status == oddtile_ok && !machine.lost())
    result.judgement = oracles::judge(workload, outcome.buffers, outcome.profile,
                                      {.effort = oracles::Effort::full});
  result.violation = violation_of(outcome, result.judgement);
  if (result.violation.empty()) return result;
  result.violation =
      fmt::format("{}, config={} ({}): {}; {}", which.name, outcome.position, outcome.profile.name,
                  result.violation, replay(drawn.subject, which, machine));
  return result;
}

void count_attempt(const Attempt& attempt, const Cell& cell, const Contender& which,
                   const Machine& machine, SearchState* state) {
  Total& total = state->totals[{cell, which.name}];
  ++total.cases;
  total.declined += !attempt.offered;
  if (!attempt.offered) return;
  if (!attempt.violation.empty()) state->violations.push_back(attempt.violation);
  total.vacuous += attempt.judgement.verdict == Verdict::vacuous;
  total.escalated += attempt.judgement.escalated;
  total.judged += judged(attempt.judgement);
  state->cells[cell].judged += judged(attempt.judgement);
  Place place = {cell, which.name, {}, 0, family_of(attempt.drawn.subject)};
  std::string line;
  for (const oracles::Quantity& quantity : attempt.judgement.quantities) {
    total.not_judged += quantity.not_judged;
    total.worst_share = std::max(total.worst_share, kept(quantity.worst_ratio));
    place.quantity = std::string(oracles::role_name(quantity.role));
    QuantityTotal& own = state->quantities[{cell, which.name, place.quantity}];
    own.judged += quantity.judged;
    own.not_judged += quantity.not_judged;
    own.worst_share = std::max(own.worst_share, kept(quantity.worst_ratio));
    for (size_t regime = 0; regime < 3; ++regime) {
      if (!quantity.net_drawn[regime]) continue;
      own.drawn[regime] = true;
      own.families.insert(place.family);
    }
    for (place.regime = 0; place.regime < 3; ++place.regime) {
      const double net = quantity.worst_net[size_t(place.regime)];
      if (!(net > 0)) continue;
      if (line.empty()) line = replay(attempt.drawn.subject, which, machine);
      state->note_worst(place, net, line);
    }
  }
}

}  // namespace oddtile::properties
