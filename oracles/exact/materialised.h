// The second oracle: a whole case at once, materialised, straightforward, in 50 decimal digits,
// with its own mask code. Slow; tests compare it with the first. It shares nothing with it beyond
// the case and value_at().
#pragma once

#include <vector>

#include "oracles/case/workload.h"

namespace oddtile::oracles {

struct MaterialisedAttention {
  std::vector<double> o;    // (batch, heads_q, seq_q, head_dim), dense
  std::vector<double> lse;  // (batch, heads_q, seq_q), dense
};

// NaN where the contract says NaN; of columns with non-finite V nothing better than IEEE arithmetic
// on live keys is given.
MaterialisedAttention materialised_attention(const Workload& workload);

// (rows, columns), dense.
std::vector<double> materialised_softmax(const Workload& workload);

}  // namespace oddtile::oracles
