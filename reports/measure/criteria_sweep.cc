#include "reports/measure/criteria_sweep.h"

#include <fmt/format.h>

#include "kernels/base/random.h"
#include "oracles/case/sizes.h"
#include "oracles/case/text.h"
#include "properties/gen/draw.h"
#include "reports/measure/criteria.h"
#include "reports/measure/progress.h"
#include "reports/measure/whole_output.h"

namespace oddtile::reports {
namespace {

using oracles::Workload;
using properties::Outcome;

// Few rows of a softmax are long enough for a second online step, where two of its mutants differ,
// and its runs are short; attention's baseline is the plainest kernel on the simulator.
struct Plan {
  oddtile_kernel kernel;
  int64_t cases_factor;
  int64_t work_at_most;
};
constexpr Plan kPlans[] = {{oddtile_kernel_vector_add, 2, oracles::kSmallWork},
                           {oddtile_kernel_softmax, 6, oracles::kSmallWork},
                           {oddtile_kernel_attention, 1, oracles::kSmallWork / 3}};

// One case, and what every criterion needs to know of it.
struct Subject {
  Workload workload;
  std::vector<double> exact;
  std::vector<double> eager;
  Outcome right;  // of the kernel as it is
};

bool ran(const Outcome& outcome) {
  return outcome.status == oddtile_ok && !outcome.buffers.empty();
}

// False where the case has nothing to compare.
bool prepare(const oracles::Case& subject, properties::Machine& machine, Subject* result) {
  result->workload = oracles::materialise(subject, oracles::Poison::nan);
  std::optional<std::vector<double>> exact = exact_output(result->workload);
  if (!exact || exact->empty()) return false;
  result->exact = std::move(*exact);
  const auto implementations = machine.implementations();
  result->right = run_workload(result->workload, *implementations[0], machine, subject.schedule);
  const Outcome eager =
      run_workload(result->workload, *implementations[1], machine, subject.schedule);
  if (!ran(result->right) || !ran(eager)) return false;
  result->eager = stored_output(result->workload, eager.buffers);
  return true;
}

void count_rejections(const Subject& subject, const Outcome& outcome, CriteriaEntry* entry) {
  const std::vector<double> got = stored_output(subject.workload, outcome.buffers);
  const Outputs outputs = {dtype_of(subject.workload), subject.exact, got, subject.eager};
  size_t column = 0;
  for (const Criterion& criterion : public_criteria()) {
    entry->counts[column++].rejected += !criterion.accepts(outputs);
  }
  const oracles::Judgement judgement =
      oracles::judge(subject.workload, outcome.buffers, outcome.profile);
  entry->counts[column].rejected += judgement.verdict == oracles::Verdict::fail;
}

void run_mutant(const Subject& subject, const Mutant& mutant, properties::Machine& machine,
                CriteriaEntry* entry) {
  ++entry->runs;
  const Outcome outcome =
      run_workload(subject.workload, *mutant.table, machine, subject.workload.subject.schedule);
  if (!ran(outcome)) {  // nobody needs a criterion to see that
    ++entry->differing;
    for (CriterionCount& count : entry->counts) ++count.rejected;
    return;
  }
  if (same_output_bits(subject.workload, subject.right.buffers, outcome.buffers)) return;
  ++entry->differing;
  count_rejections(subject, outcome, entry);
}

CriteriaEntry empty_entry(const std::string& kernel, const Mutant& mutant) {
  CriteriaEntry entry = {kernel, mutant.name, mutant.promise, 0, 0, {}};
  for (const Criterion& criterion : public_criteria()) {
    entry.counts.push_back({criterion.name, false, 0});
  }
  entry.counts.push_back({kOurCriterion, true, 0});
  return entry;
}

}  // namespace

std::vector<oracles::Case> criteria_cases(oddtile_kernel kernel, int64_t attentions) {
  const Plan& plan = kPlans[kernel];
  Random random(uint64_t(kernel) + 1);
  std::vector<oracles::Case> cases;
  for (int64_t i = 0; i < attentions * plan.cases_factor; ++i) {
    cases.push_back(properties::draw(kernel, random, plan.work_at_most));
  }
  return cases;
}

void criteria_sweep(properties::Machine& machine, std::span<const Mutant> mutants,
                    int64_t attentions, Record* record) {
  int64_t total = 0;
  for (const Plan& plan : kPlans) total += attentions * plan.cases_factor;
  Progress progress("criteria on " + machine.name(), total);
  for (const Plan& plan : kPlans) {
    const std::string name(oracles::kernel_name(plan.kernel));
    CriteriaEntry right = empty_entry(name, {});
    std::vector<CriteriaEntry> entries;
    std::vector<const Mutant*> own;
    for (const Mutant& mutant : mutants) {
      if (mutant.kernel != name) continue;
      own.push_back(&mutant);
      entries.push_back(empty_entry(name, mutant));
    }
    for (const oracles::Case& drawn : criteria_cases(plan.kernel, attentions)) {
      progress.step(oracles::print(drawn));
      Subject subject;
      if (!prepare(drawn, machine, &subject)) continue;
      ++right.runs;
      count_rejections(subject, subject.right, &right);
      for (size_t i = 0; i < own.size(); ++i) run_mutant(subject, *own[i], machine, &entries[i]);
    }
    record->criteria.push_back(std::move(right));
    for (CriteriaEntry& entry : entries) record->criteria.push_back(std::move(entry));
  }
}

void measure_criteria(properties::Machine& machine, Effort effort, Record* record) {
  std::string reason;
  bool built = false;
  const std::vector<Mutant> mutants = load_mutants(mutants_folder(), &reason, &built);
  if (mutants.empty()) {
    record->skips.push_back({"criteria", "all of it", reason, built});
    return;
  }
  criteria_sweep(machine, mutants, effort == Effort::quick ? 100 : 200, record);
}

}  // namespace oddtile::reports
