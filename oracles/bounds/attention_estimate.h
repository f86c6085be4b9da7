// Between which numbers the bounds of attention lie, from sums over a row instead of single
// weights: no spread term, one fp32 product each for A_j and sum p |v|. README.md, "Estimates", has
// the proof.
#pragma once

#include <vector>

#include "kernels/api/kernels.h"
#include "oracles/bounds/attention.h"
#include "oracles/bounds/attention_terms.h"
#include "oracles/exact/attention_block.h"

namespace oddtile::oracles {

struct AttentionEstimate {
  // False: exponents or errors too large for these sums to say something; bound in full.
  bool valid = false;
  std::vector<double> lower, upper;  // of AttentionBound::o
  double lse_lower = 0, lse_upper = 0;
  Uncertainty uncertainty;
};

// Of a plain row of a block that was computed with estimates. `o` and `size`: the block's, for this
// row; `v_largest`: max |v| per column over all keys.
void estimate_attention(const BlockRow& row, const double* o, const float* size,
                        const std::vector<double>& v_largest, const KeyTerms& keys, double scale,
                        const oddtile_profile& profile, oddtile_dtype dtype,
                        AttentionEstimate& out);

}  // namespace oddtile::oracles
