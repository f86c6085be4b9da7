// The bound of fused row softmax (README.md, "Softmax").
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/kernels.h"
#include "oracles/bounds/weights.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles {

struct SoftmaxBound {
  bool trivial = false;       // T_l >= 1/2: only 0 <= y <= 1 is known, a pass would be vacuous
  std::vector<double> error;  // per column: bound of |y - p|; 0 where masked or not live
  WeightBound weights;        // over the live columns, in order
};

// The bound as a function of one weight: per_error D_j + per_weight p_j + absolute, with
// D_j (1 - 2 p_j) for D_j where there is one step.
struct SoftmaxTerms {
  bool trivial = false;
  bool one_step = false;
  double per_error = 0;
  double per_weight = 0;
  double absolute = 0;

  double bound(double p, double d) const {
    return per_error * (one_step ? d * (1 - 2 * p) : d) + per_weight * p + absolute;
  }
};
// Of a row of `columns` columns: R, and D_l for its `live` ones; X and T_l are in `weights`.
double softmax_events(int64_t columns, const oddtile_profile& profile);
double softmax_depth(int64_t columns, int64_t live, const oddtile_profile& profile);
SoftmaxTerms softmax_terms(const WeightBound& weights, double events,
                           const oddtile_profile& profile, oddtile_dtype dtype);

void bound_softmax(const SoftmaxRow& row, const oddtile_profile& profile, oddtile_dtype dtype,
                   SoftmaxBound& out);

}  // namespace oddtile::oracles
