#include "oracles/bounds/softmax.h"

#include <algorithm>
#include <cmath>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// The largest |maximum| of an online step: what a frame may be.
double largest_frame(const SoftmaxRow& row, int64_t tile) {
  const int64_t n = int64_t(row.offset.size());
  if (tile <= 0) tile = std::max<int64_t>(n, 1);
  double largest = 0;
  for (int64_t first = 0; first < n; first += tile) {
    const auto begin = row.offset.begin() + first;
    const double offset = *std::max_element(begin, begin + std::min(tile, n - first));
    if (offset > -kNever) largest = std::max(largest, std::fabs(row.max + offset));
  }
  return largest;
}

}  // namespace

double softmax_events(int64_t columns, const oddtile_profile& profile) {
  // What merges partial rows (of lanes, say) counts as steps in the profile.
  return profile.tile_columns > 0 ? double((columns - 1) / profile.tile_columns) : 0;
}

double softmax_depth(int64_t columns, int64_t live, const oddtile_profile& profile) {
  return std::min(double(live), sum_depth(columns, profile));
}

SoftmaxTerms softmax_terms(const WeightBound& w, double events, const oddtile_profile& profile,
                           oddtile_dtype dtype) {
  const double u_o = unit_roundoff(dtype), eta_o = subnormal_roundoff(dtype);
  const double flush = weight_flush(profile);
  SoftmaxTerms terms;
  terms.trivial = !(w.loss < 0.5);
  if (terms.trivial) {
    terms.absolute = 1 + u_o;
    return terms;
  }
  // w^_j - p_j l^ = (1 - p_j) (w^_j - w_j) - p_j sum over the others, then the sum's roundoff.
  // An online form makes w^_j anew, in the last frame: the sum holds another one, and nothing
  // cancels.
  terms.one_step = events == 0;
  const double divided = profile.division_error_u * kU;
  const double scaled = (1 + u_o) * (1 + divided) / (1 - w.loss);
  terms.per_error = scaled;
  terms.per_weight = scaled * (w.sum + (1 + w.sum) * w.sum_error) + (1 + u_o) * divided + u_o;
  terms.absolute = scaled * 2 * flush + eta_o + flush;
  return terms;
}

void bound_softmax(const SoftmaxRow& row, const oddtile_profile& profile, oddtile_dtype dtype,
                   SoftmaxBound& out) {
  const size_t n = row.offset.size();
  out.error.assign(n, 0.0);
  out.trivial = false;
  if (row.row_class != RowClass::live) return;

  thread_local std::vector<double> offset, weight;
  offset.clear();
  weight.clear();
  for (size_t c = 0; c < n; ++c) {
    if (!(row.offset[c] > -kNever)) continue;
    offset.push_back(row.offset[c]);
    weight.push_back(row.weight[c]);
  }
  WeightRow live;
  live.offset = offset;
  live.weight = weight;
  live.max = row.max;
  live.sum = row.sum;
  live.events = softmax_events(int64_t(n), profile);
  live.depth = softmax_depth(int64_t(n), row.live, profile);
  if (profile.extra_frame_u > 0) live.largest_frame = largest_frame(row, profile.tile_columns);
  bound_weights(live, profile, out.weights);

  const SoftmaxTerms terms = softmax_terms(out.weights, live.events, profile, dtype);
  out.trivial = terms.trivial;
  size_t j = 0;
  for (size_t c = 0; c < n; ++c) {
    if (!(row.offset[c] > -kNever)) continue;
    out.error[c] = terms.trivial ? terms.absolute : terms.bound(weight[j], out.weights.error[j]);
    ++j;
  }
}

}  // namespace oddtile::oracles
