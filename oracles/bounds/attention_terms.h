// What the bound of attention and its estimates have in common: the terms of README.md,
// "Attention", that do not depend on single weights. Private to oracles/bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"
#include "oracles/bounds/weights.h"

namespace oddtile::oracles {

// What the live keys of a row, wherever their weights lie, make of a profile.
struct KeyTerms {
  int64_t live = 0;
  int64_t tiles = 0;
  double depth = 0;  // D_l
  double kappa = 0;  // of P V

  KeyTerms() = default;
  KeyTerms(std::span<const int64_t> keys, const oddtile_profile& profile)
      : live(int64_t(keys.size())),
        tiles(tiles_touched(keys, profile)),
        depth(sum_depth(keys, profile)),
        kappa(kappa_values(keys, profile)) {}
  double events() const { return double(tiles - 1); }  // R
};

struct AttentionTerms {
  double eta = 0;          // of P, or of the exponential's flush
  double value_error = 0;  // Phi: relative, of w^_j v_jc and their sum
  double hull = 0;         // Phi' of B2
  double u_o = 0, eta_o = 0;
  // Accumulators round in fp32's subnormals, and a matrix unit aligns what is smaller still to a
  // floor: 2^-149 a product covers both (README.md, "Products").
  double underflow = 0;

  AttentionTerms(const KeyTerms& keys, const oddtile_profile& profile, oddtile_dtype dtype) {
    const double u_p = unit_roundoff(profile.weight_dtype);
    eta = std::max(subnormal_roundoff(profile.weight_dtype), weight_flush(profile));
    // Where P is normalised before the cast each weight bears the division's rounding.
    const double divisions = profile.weight_normalised ? profile.division_error_u : 0;
    const double sums = keys.kappa + keys.events();
    value_error = compounded(u_p, sums + divisions);
    hull = compounded(u_p, sums + keys.depth + keys.events() + 4 + divisions);
    u_o = unit_roundoff(dtype);
    eta_o = subnormal_roundoff(dtype);
    underflow = double(keys.live + keys.tiles + 2) * 0x1p-149;
  }
};

// Of the row: `weights` is X, `log_error` max E.
struct LseTerms {
  double weights = 0, log_error = 0, sum_error = 0;
  double max = 0, log_sum = 0, lse = 0;
  int64_t live = 0;
};

inline double bound_lse(const LseTerms& row, const oddtile_profile& profile) {
  // ln sum p e^(+-E) lies within +-ln(1 + X) (Jensen), and within +-max E.
  const double weights = std::min(std::log1p(row.weights), row.log_error);
  const double flush = double(row.live) * weight_flush(profile);
  const double sum = row.sum_error < 0.5 ? -std::log1p(-row.sum_error) : kNever;
  const double log = profile.log2_error * std::max(std::log(2.0), row.log_sum);
  return weights + sum + 2 * flush + log + 4 * kU * (std::fabs(row.max) + row.log_sum) +
         kU * std::fabs(row.lse) + 0x1p-149;
}

}  // namespace oddtile::oracles
