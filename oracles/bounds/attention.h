// The bounds of attention forward: O per column, LSE per row (README.md, "Attention"), the domain
// in which they are promised, and how visible a key is.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/kernels.h"
#include "oracles/bounds/weights.h"
#include "oracles/exact/attention.h"

namespace oddtile::oracles {

struct AttentionBound {
  std::vector<double> o;  // per column: bound of |o^ - o|
  double lse = 0;
  WeightBound weights;
};

// Of a live row. `scale` as the case states it.
void bound_attention(const AttentionRow& row, const KeysAndValues& kv, double scale,
                     const oddtile_profile& profile, oddtile_dtype dtype, AttentionBound& out);

// False: fp32 sums inside a kernel may overflow, and the row is judged for nothing but its class.
bool in_domain(const AttentionRow& row, double scale);
// The same for one output column of a row in the domain.
bool in_domain(const AttentionRow& row, int64_t column);

// How far dropping live key number `j` of the row would move LSE and O, in units of their bounds
// (the larger; infinite where it is the only key). Visible means above 2.
double visibility(const AttentionRow& row, const KeysAndValues& kv, const AttentionBound& bound,
                  int64_t j, bool with_lse);

}  // namespace oddtile::oracles
