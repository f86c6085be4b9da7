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
  double value_error = 0;  // Phi: no bound of a column is below that share of its sum p |v|
  WeightBound weights;
};

// Of a live row. `scale` as the case states it.
void bound_attention(const AttentionRow& row, const KeysAndValues& kv, double scale,
                     const oddtile_profile& profile, oddtile_dtype dtype, AttentionBound& out);

// By which share of the bound double's own error may move |error| and bound together, of any column
// and of LSE (README.md of oracles/exact). Further from 1 a ratio is decided.
struct Uncertainty {
  double o = 0;
  double lse = 0;
};
// `informed`: T_l < 1/2.
Uncertainty uncertainty(const DoubleErrors& errors, bool informed, double log_error_max,
                        double value_error, double lse_bound);
Uncertainty uncertainty(const AttentionRow& row, const AttentionBound& bound);

// False: fp32 sums inside a kernel may overflow, and the row is judged for nothing but its class.
bool in_domain(const AttentionRow& row, double scale);
// The same for one output column of a row in the domain.
bool in_domain(const AttentionRow& row, int64_t column);

// How far dropping live key number `j` of the row would move LSE and O, in units of their bounds
// (the larger; infinite where it is the only key). Visible means above 2.
double visibility(const AttentionRow& row, const KeysAndValues& kv, const AttentionBound& bound,
                  int64_t j, bool with_lse);

// Whether that is above 2, for a key of weight p < 1 whose values are `v`. `lse`: its bound,
// infinite where it is not asked for.
bool visible(double p, const double* v, const double* o, const std::vector<double>& bound,
             double lse);

}  // namespace oddtile::oracles
