// The bound of fused row softmax (README.md, "Softmax").
#pragma once

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

void bound_softmax(const SoftmaxRow& row, const oddtile_profile& profile, oddtile_dtype dtype,
                   SoftmaxBound& out);

}  // namespace oddtile::oracles
