// The statistical form of attention's bounds (README.md, "Statistical form"): what a kernel leaves
// only with a bias or with errors that belong together. Exceeding it is suspect, not wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/bounds/attention.h"

namespace oddtile::oracles {

// lambda = sqrt(2 ln(2 N / delta)): a sum of independent errors of mean 0, each within +-c_i, stays
// below lambda sqrt(sum c_i^2) in all of N such sums but for a probability of delta (Hoeffding
// 1963).
double hoeffding_factor(int64_t sums, double delta);

struct StatisticalBound {
  std::vector<double> o;  // per column, never above the rigorous one
  double lse = 0;
};

// Of a live row whose rigorous bound is `rigorous`. What errs in one direction by construction
// (truncating sums, the kernel's own exponential, the rounded scale) counts as in the rigorous
// form.
void statistical_bound(const AttentionRow& row, const KeysAndValues& kv,
                       const oddtile_profile& profile, oddtile_dtype dtype,
                       const AttentionBound& rigorous, double lambda, StatisticalBound& out);

}  // namespace oddtile::oracles
