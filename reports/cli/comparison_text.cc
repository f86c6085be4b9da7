#include "reports/cli/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace oddtile::reports {
namespace {

std::string bits_text(const ComparedEntry& entry) {
  if (entry.bits.empty()) return "";
  std::string text;
  for (const ComparedBits& bits : entry.bits) {
    if (bits.differing == 0) continue;
    text += fmt::format("{}{}: {} of {} elements differ", text.empty() ? "" : ", ", bits.tensor,
                        bits.differing, bits.elements);
  }
  return text.empty() ? "equal bits" : text;
}

std::string slowdown_text(const ComparedEntry& entry) {
  if (entry.baseline.empty()) return "";
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", entry.slowdown, entry.slowdown_low,
                     entry.slowdown_high);
}

std::string rate_text(const ComparedEntry& entry) {
  if (entry.copy_us > 0) return fmt::format("{:.3f} of copy", entry.copy_share);
  if (entry.rate_unit.empty()) return "no rate";
  return fmt::format("{:.1f} {}", entry.rate, entry.rate_unit);
}

std::string line_of(const ComparedEntry& entry) {
  if (!entry.problem.empty()) return entry.problem + "\n";
  return fmt::format("{:>10.2f} us  {:>13}  {:<24}  {:<10}  {}  ({})\n", entry.us_median,
                     rate_text(entry), slowdown_text(entry), bits_text(entry), entry.verdict,
                     entry.configuration);
}

std::string lines_below(const ComparedEntry& entry) {
  std::string text;
  if (!entry.explanation.empty()) text += "    " + entry.explanation + "\n";
  if (!entry.finding.empty()) text += "    FINDING: " + entry.finding + "\n";
  return text;
}

}  // namespace

std::string comparison_text(const std::vector<ComparedEntry>& entries) {
  size_t width = 0;
  for (const ComparedEntry& entry : entries) width = std::max(width, entry.library.size());
  std::string text = entries[0].case_text + "\n";
  for (const ComparedEntry& entry : entries) {
    text += fmt::format("  {:<{}}  {}", entry.library, width, line_of(entry));
    text += lines_below(entry);
  }
  return text;
}

}  // namespace oddtile::reports
