#include "reports/record/findings.h"

#include <fmt/format.h>

namespace oddtile::reports {
namespace {

bool is_ours(const std::string& implementation) {
  return implementation == "fused" || implementation == "eager";
}

int64_t seen(const ErrorEntry& entry) {
  int64_t count = 0;
  for (const QuantityEntry& quantity : entry.quantities) {
    count += quantity.judged + quantity.not_judged;
  }
  return count;
}

// Vacuous is no proof, but no finding either: at very long rows no data shows every edge.
bool refuted(const TimingEntry& entry) {
  const auto bad = [](const std::string& verdict) {
    return verdict != "pass" && verdict != "vacuous";
  };
  return !entry.verified && (bad(entry.verdict) || bad(entry.edge_verdict));
}

// The failing property, what shows it, and the line that runs it again.
std::string failure_text(const ErrorEntry& entry) {
  std::string text =
      fmt::format("{} {} breaks {}", entry.implementation, entry.machine, entry.broken);
  if (!entry.failure) return fmt::format("{}: {}", text, entry.case_text);
  const Failure& f = *entry.failure;
  // Other properties than the bound are not broken at the worst element: the first evidence counts.
  if (entry.broken != "within_bound" && f.report.size() > 1) text += ": " + f.report[1];
  if (!f.tensor.empty()) {
    text += fmt::format("; worst {}[{}]: got {:.9g}, exact {:.9g}, bound {:.3g}, ratio {:.4g}",
                        f.tensor, fmt::join(f.index, ","), f.got, f.exact, f.bound, f.ratio);
  }
  return text + "; " + f.replay;
}

void add_errors(const Record& record, std::vector<Finding>& found) {
  for (const ErrorEntry& entry : record.errors) {
    if (!is_ours(entry.implementation)) continue;
    if (entry.verdict == "fail") {
      found.push_back({"errors", failure_text(entry)});
    } else if (seen(entry) == 0) {
      found.push_back({"errors", fmt::format("{} {}: nothing was judged: {}", entry.implementation,
                                             entry.machine, entry.case_text)});
    }
  }
}

void add_timings(const Record& record, std::vector<Finding>& found) {
  for (const TimingEntry& entry : record.timings) {
    if (!is_ours(entry.implementation)) continue;
    if (refuted(entry)) {
      found.push_back(
          {"timing",
           fmt::format("{} is timed on wrong outputs (timed {}, edges {}): {}",
                       entry.implementation, entry.verdict, entry.edge_verdict, entry.case_text)});
    }
    if (entry.baseline == "eager" && entry.ratio_high < 1) {
      found.push_back({"timing", fmt::format("{} is slower than eager, {:.3f} [{:.3f}, {:.3f}]: {}",
                                             entry.implementation, entry.ratio, entry.ratio_low,
                                             entry.ratio_high, entry.case_text)});
    }
  }
}

// Public criteria may do as they like; ours must never reject a right kernel.
void add_criteria(const Record& record, std::vector<Finding>& found) {
  for (const CriteriaEntry& entry : record.criteria) {
    if (entry.differing == 0 && !entry.mutant.empty()) {
      found.push_back({"criteria", fmt::format("{}: no bit differs in {} runs: nothing compared",
                                               entry.mutant, entry.runs)});
    }
    for (const CriterionCount& count : entry.counts) {
      if (!count.ours || count.rejected == 0 || !entry.mutant.empty()) continue;
      found.push_back(
          {"criteria", fmt::format("the right {} is rejected in {} of {} runs by: {}", entry.kernel,
                                   count.rejected, entry.runs, count.criterion)});
    }
  }
}

// The kernels searched are right by definition: a bound that one of them leaves is wrong.
void add_soundness(const Record& record, std::vector<Finding>& found) {
  for (const SoundnessEntry& entry : record.soundness) {
    for (const std::string& violation : entry.violations) {
      found.push_back(
          {"soundness", fmt::format("a right kernel on {} fails: {}", entry.machine, violation)});
    }
    for (const SoundnessCell& cell : entry.cells) {
      int64_t judged = 0;
      for (const SoundnessContender& contender : cell.contenders) judged += contender.judged;
      if (entry.wanted == 0 || judged > 0) continue;
      found.push_back({"soundness", fmt::format("{} {} on {}: nothing was judged", cell.kernel,
                                                cell.dtype, entry.machine)});
    }
  }
}

}  // namespace

std::vector<Finding> findings(const Record& record) {
  std::vector<Finding> found;
  add_errors(record, found);
  add_timings(record, found);
  add_criteria(record, found);
  add_soundness(record, found);
  for (const Skip& skip : record.skips) {
    if (skip.broken) found.push_back({skip.section, "broke: " + skip.what + ": " + skip.reason});
  }
  if (record.errors.empty() && record.io.empty() && record.timings.empty() &&
      record.criteria.empty() && record.soundness.empty()) {
    found.push_back({"all", "nothing was measured"});
  }
  return found;
}

}  // namespace oddtile::reports
