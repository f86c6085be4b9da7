#include "reports/record/findings.h"

#include <fmt/format.h>

#include <algorithm>

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

void add_errors(const Record& record, std::vector<Finding>& found) {
  for (const ErrorEntry& entry : record.errors) {
    if (!is_ours(entry.implementation)) continue;
    if (entry.verdict == "fail") {
      double worst = 0;
      for (const QuantityEntry& q : entry.quantities) worst = std::max(worst, q.worst_share);
      found.push_back(
          {"errors", fmt::format("{} {} breaks {} ({:.3g} of the bound): {}", entry.implementation,
                                 entry.machine, entry.broken, worst, entry.case_text)});
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

}  // namespace

std::vector<Finding> findings(const Record& record) {
  std::vector<Finding> found;
  add_errors(record, found);
  add_timings(record, found);
  return found;
}

}  // namespace oddtile::reports
