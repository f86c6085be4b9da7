// Bounds on the weights of one softmax row: what softmax and attention share. The derivation is in
// README.md ("Weights"), which also has the names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/kernels.h"

namespace oddtile::oracles {

// The exact side of a row, over its live keys.
struct WeightRow {
  std::span<const double> offset;     // s_j - m <= 0
  std::span<const double> weight;     // p_j
  std::span<const double> magnitude;  // A_j, or empty: the scores are given (softmax)
  double max = 0;                     // m
  double sum = 0;                     // l
  // Attention only: what score_error() reads.
  int64_t head_dim = 0;
  double scale = 0;
  // Of the tiles that hold a live key, what the frames may be: max over them of |largest score|.
  double largest_frame = 0;
  double events = 0;  // R
  double depth = 0;   // D_l
};

struct WeightBound {
  std::vector<double> log_error;  // E_j
  std::vector<double> error;      // D_j: |computed - exact| / l of weight j, flush apart
  double sum = 0;                 // X = sum D_j
  double log_error_max = 0;       // max E_j
  double rise = 0;                // how far the kernel's own maximum may lie above m
  double loss = 0;                // T_l; from 1/2 on the row sum says nothing
  double sum_error = 0;           // relative roundoff of the row sum, (D_l + R) u
};

// Absolute roundoff of a weight: exp2 flushes below 2^-126, or rounds in fp32's subnormals.
double weight_flush(const oddtile_profile& profile);

// E_j = common + per_offset |s_j - m| + per_score |s_j| + per_magnitude A_j.
struct LogErrorTerms {
  double common = 0;
  double per_offset = 5 * 0x1p-24;
  double per_score = 0;
  double per_magnitude = 0;
};
LogErrorTerms log_error_terms(const WeightRow& row, bool attention, const oddtile_profile& profile);

void bound_weights(const WeightRow& row, const oddtile_profile& profile, WeightBound& out);

}  // namespace oddtile::oracles
