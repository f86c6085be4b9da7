// A verdict from what the kernel's part counted. README.md says what each verdict means.
#include "oracles/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/assert.h"
#include "oracles/bounds/profile.h"
#include "oracles/judge/parts.h"
#include "oracles/judge/suspicion.h"

namespace oddtile::oracles {
namespace {

oddtile_dtype dtype_of(const Case& subject) {
  return std::visit([](const auto& problem) { return problem.dtype; }, subject.problem);
}

// Columns or keys of a row; 0 where there are no rows.
int64_t row_length(const Case& subject) {
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return c->columns;
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) return c->seq_k;
  return 0;
}

// Empty, or why the outputs cannot be judged at all.
std::string missing_bytes(const Evidence& evidence) {
  for (size_t i = 0; i < evidence.workload.tensors.size(); ++i) {
    const Tensor& tensor = evidence.workload.tensors[i];
    if (!tensor.is_output || tensor.count() == 0) continue;
    // Outputs have no negative strides, so the last index reaches farthest.
    const int64_t last = tensor.index(tensor.sizes[0] - 1, tensor.sizes[1] - 1, tensor.sizes[2] - 1,
                                      tensor.sizes[3] - 1);
    const int64_t needed = (last + 1) * element_bytes(tensor.element);
    const int64_t there = int64_t(evidence.after(int(i)).size());
    if (there < needed)
      return fmt::format("{}: {} output bytes to judge, {} needed", role_name(tensor.role), there,
                         needed);
  }
  return {};
}

Judgement failure(std::string why) {
  Judgement judgement;
  judgement.explanation = std::move(why) + "\n";
  return judgement;
}

int64_t output_elements(const Workload& workload) {
  int64_t elements = 0;
  for (const Tensor& tensor : workload.tensors)
    if (tensor.is_output) elements += tensor.count();
  return elements;
}

// Why a run without failures proves too little, or empty.
std::string vacuous(const Outcome& outcome, const Judgement& judgement, int64_t judged,
                    oddtile_kernel kernel) {
  if (judged == 0) return "every element lies outside the domain of the bound";
  if (outcome.bounded_rows == 0 && outcome.skipped_rows > 0)
    return fmt::format("every live row that a bound could decide lies outside its domain ({} rows)",
                       outcome.skipped_rows);
  // Cases decided by exact classes alone (nothing live, one key, bit-exact add) always prove.
  if (kernel == oddtile_kernel_vector_add || outcome.bounded_rows == 0) return {};
  if (outcome.trivial_rows > 0)
    return fmt::format("{} of {} rows have no bound below 1 (the declared sum is too deep)",
                       outcome.trivial_rows, outcome.bounded_rows);
  if (!(judgement.zero_output_factor > 1))
    return fmt::format("a zero output would pass (worst ratio {:.3g})",
                       judgement.zero_output_factor);
  if (judgement.visible_edge_keys < 0.5)
    return fmt::format("{} of {} edge keys are visible", outcome.visible_edge_keys,
                       outcome.edge_keys);
  return {};
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::vacuous:
      return "vacuous";
    case Verdict::suspect:
      return "suspect";
    case Verdict::fail:
      return "fail";
  }
  ODDTILE_ASSERT(false);
}

std::span<const std::byte> Evidence::after(int index) const {
  const std::vector<std::byte>& own = outputs[size_t(index)];
  const int alias = workload.tensors[size_t(index)].alias_of;
  return own.empty() && alias >= 0 ? outputs[size_t(alias)] : own;
}

Judgement judge(const Workload& workload, std::span<const std::vector<std::byte>> outputs,
                const oddtile_profile& profile, const Sampling& sampling) {
  const oddtile_kernel kernel = workload.subject.kernel();
  const std::string refusal =
      too_generous(profile, dtype_of(workload.subject), kernel, row_length(workload.subject));
  if (!refusal.empty()) return failure("profile too generous: " + refusal);
  if (outputs.size() != workload.tensors.size())
    return failure(
        fmt::format("{} output buffers for {} tensors", outputs.size(), workload.tensors.size()));
  const Evidence evidence = {workload, outputs, profile, sampling};
  if (const std::string missing = missing_bytes(evidence); !missing.empty())
    return failure(missing);

  const Outcome outcome = kernel == oddtile_kernel_vector_add ? judge_vector_add(evidence)
                          : kernel == oddtile_kernel_softmax  ? judge_softmax(evidence)
                                                              : judge_attention(evidence);
  Judgement judgement;
  int64_t judged = 0, not_judged = 0, failed = 0;
  for (const Outcome::Part& part : outcome.parts) {
    judgement.quantities.push_back(part.tally.quantity(part.role));
    judged += part.tally.judged();
    not_judged += part.tally.not_judged();
    failed += part.tally.failed();
  }
  judgement.escalated = outcome.escalated;
  judgement.fully_bounded = outcome.fully_bounded;
  judgement.zero_output_factor = outcome.parts[0].tally.zero_factor();
  if (outcome.edge_keys > 0)
    judgement.visible_edge_keys = double(outcome.visible_edge_keys) / double(outcome.edge_keys);

  const int64_t elements = output_elements(workload);
  if (failed > 0) {
    judgement.explanation = explain(outcome, evidence);
  } else if (elements > 0 && judged + not_judged == 0) {
    judgement.explanation = fmt::format("nothing was judged of {} elements\n", elements);
  } else if (elements == 0) {
    judgement.verdict = Verdict::pass;
  } else {
    const std::string why = vacuous(outcome, judgement, judged, kernel);
    judgement.verdict = why.empty() ? Verdict::pass : Verdict::vacuous;
    if (!why.empty()) judgement.explanation = "vacuous: " + why + "\n";
    judgement.suspicion = suspect(evidence);
    if (judgement.suspicion.worst_ratio > 1) {
      judgement.verdict = Verdict::suspect;
      judgement.explanation = explain_suspicion(judgement.suspicion) + judgement.explanation;
    }
  }
  return judgement;
}

}  // namespace oddtile::oracles
