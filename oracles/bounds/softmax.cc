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
  // What merges partial rows (of lanes, say) counts as steps in the profile.
  if (profile.tile_columns > 0) live.events = double((int64_t(n) - 1) / profile.tile_columns);
  live.depth = std::min(double(row.live), sum_depth(int64_t(n), profile));
  if (profile.extra_frame_u > 0) live.largest_frame = largest_frame(row, profile.tile_columns);
  bound_weights(live, profile, out.weights);

  const WeightBound& w = out.weights;
  const double u_o = unit_roundoff(dtype), eta_o = subnormal_roundoff(dtype);
  const double flush = weight_flush(profile);
  out.trivial = !(w.loss < 0.5);
  size_t j = 0;
  for (size_t c = 0; c < n; ++c) {
    if (!(row.offset[c] > -kNever)) continue;
    const double p = weight[j], d = w.error[j];
    ++j;
    if (out.trivial) {
      out.error[c] = 1 + u_o;
      continue;
    }
    // w^_j - p_j l^ = (1 - p_j) (w^_j - w_j) - p_j sum over the others, then the sum's roundoff.
    // An online form makes w^_j anew, in the last frame: the sum holds another one, and nothing
    // cancels.
    const double weights = live.events == 0 ? (1 - p) * d + p * (w.sum - d) : d + p * w.sum;
    const double numerator = weights + p * (1 + w.sum) * w.sum_error + 2 * flush;
    const double divided = profile.division_error_u * kU;
    const double before = numerator / (1 - w.loss) * (1 + divided) + p * divided;
    out.error[c] = (1 + u_o) * before + u_o * p + eta_o + flush;
  }
}

}  // namespace oddtile::oracles
