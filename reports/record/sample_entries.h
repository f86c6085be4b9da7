// Entries that the tests of this folder share.
#pragma once

#include <string>

#include "reports/record/record.h"

namespace oddtile::reports {

inline ErrorEntry error_entry(const std::string& verdict, double share) {
  return {"sim",
          "fused",
          "softmax",
          "fp32",
          "last_max",
          7,
          "softmax rows=1 columns=7",
          verdict,
          verdict == "fail" ? "within_bound" : "",
          1,
          {{"y", share, 0.5, 0.25, -0.125, 7, 0}}};
}

inline TimingEntry timing_entry(double low, double high) {
  TimingEntry entry;
  entry.machine = "cuda";
  entry.implementation = "fused";
  entry.baseline = "eager";
  entry.ratio = (low + high) / 2;
  entry.ratio_low = low;
  entry.ratio_high = high;
  entry.verdict = entry.edge_verdict = "pass";
  entry.verified = true;
  return entry;
}

// The right kernel where no mutant is named.
inline CriteriaEntry criteria_entry(const std::string& mutant, int64_t differing,
                                    int64_t rejected_by_ours) {
  return {
      "attention", mutant,    mutant.empty() ? "" : "Scores stay in fp32.",
      9,           differing, {{"abs and rel 1e-2", false, 1}, {"bound", true, rejected_by_ours}}};
}

// One kernel in one type, sampled and climbed.
inline SoundnessEntry soundness_entry(int64_t judged, std::vector<std::string> violations) {
  SoundnessQuantity y = {"y", judged, 0.75, {{"n <= 16"}}, {{"last_max"}}, {}, {}};
  y.shares = {{"emulated", "n <= 16", "last_max", 0.25, "oddtile run 'softmax columns=7'"}};
  y.climbs = {{"fused", "n <= 256", "online", 100, 3, 0.125, 0.5, "softmax columns=99", "R"}};
  const SoundnessCell cell = {"softmax", "fp32", {{"emulated", 9, 1, 2, judged, 3, 4, 0.75}}, {y}};
  return {"sim", 1, 1000, judged >= 1000, std::move(violations), {cell}};
}

}  // namespace oddtile::reports
