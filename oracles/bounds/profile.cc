#include "oracles/bounds/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/bits.h"
#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// Calls visit(live keys in the tile) for every tile that holds one.
template <class Visitor>
void for_each_tile(std::span<const int64_t> keys, int64_t tile, Visitor&& visit) {
  for (size_t first = 0; first < keys.size();) {
    size_t last = keys.size();
    if (tile > 0) {
      const int64_t end = (keys[first] / tile + 1) * tile;
      last =
          size_t(std::lower_bound(keys.begin() + ptrdiff_t(first), keys.end(), end) - keys.begin());
    }
    visit(int64_t(last - first));
    first = last;
  }
}

// What one addend of a group loses, and what its result loses, in units of u.
double addend_loss(const oddtile_profile& profile) {
  return std::ldexp(profile.mma_rounds ? 0.5 : 1.0, 24 - profile.mma_fraction_bits);
}
double result_loss(const oddtile_profile& profile) {
  return profile.mma_rounds ? 1 : 2;
}

double group_loss(double addends, const oddtile_profile& profile) {
  return addends * addend_loss(profile) + result_loss(profile);
}

std::string above(const char* field, double value, double ceiling) {
  if (value >= 0 && value <= ceiling) return {};
  return fmt::format("{} {:.3g} is outside 0..{:.3g}", field, value, ceiling);
}

const char* type_name(oddtile_dtype type) {
  return type == oddtile_fp32 ? "fp32" : type == oddtile_fp16 ? "fp16" : "bf16";
}

// Few columns a step and few partial sums are what makes a bound wide.
std::string too_many_steps(const oddtile_profile& profile, int64_t n) {
  const int64_t steps = profile.tile_columns > 0 ? ceil_div<int64_t>(n, profile.tile_columns) : 1;
  const int64_t most_steps = ceil_div(n, kCeilings.step_columns) + 2;
  if (steps > most_steps)
    return fmt::format("tile_columns {} makes {} online steps of a row of {}, more than {}",
                       profile.tile_columns, steps, n, most_steps);
  const double depth = sum_depth(n, profile);
  // A last tile may be fuller than the share: 32 for what that adds, and the tree.
  const int64_t most_depth = std::max(kCeilings.sum_depth, n / kCeilings.sum_share + 32);
  if (depth > double(most_depth))
    return fmt::format(
        "sum_lanes {} makes a row sum of {} columns {:.0f} additions deep, more than {}",
        profile.sum_lanes, n, depth, most_depth);
  return {};
}

}  // namespace

std::string too_generous(const oddtile_profile& profile, oddtile_dtype dtype, oddtile_kernel kernel,
                         int64_t n) {
  const Ceilings& most = kCeilings;
  for (const std::string& refusal :
       {above("exp2_error", profile.exp2_error, most.exp2_error),
        above("log2_error", profile.log2_error, most.log2_error),
        above("division_error_u", profile.division_error_u, most.division_error_u),
        above("extra_frame_u", profile.extra_frame_u, most.extra_frame_u),
        above("lazy_threshold_log2", profile.lazy_threshold_log2, most.lazy_threshold_log2),
        above("tile_rows", profile.tile_rows, 1 << 30),
        above("tile_columns", profile.tile_columns, std::numeric_limits<int32_t>::max()),
        above("sum_lanes", profile.sum_lanes, 1 << 30),
        above("mma_products", profile.mma_products, 1 << 10),
        above("mma_fraction_bits", profile.mma_fraction_bits, 64)})
    if (!refusal.empty()) return refusal;
  if (profile.mma_products > 0) {
    const double loss = group_loss(profile.mma_products + 1, profile) / profile.mma_products;
    if (loss > most.kappa_per_product)
      return fmt::format(
          "mma_products {} with mma_fraction_bits {} lose {:.3g} u per product, more than {:.3g}",
          profile.mma_products, profile.mma_fraction_bits, loss, most.kappa_per_product);
  }
  if (kernel == oddtile_kernel_attention &&
      unit_roundoff(profile.weight_dtype) > unit_roundoff(dtype))
    return fmt::format("weight_dtype {} is coarser than the {} of the problem",
                       type_name(profile.weight_dtype), type_name(dtype));
  return n > 0 ? too_many_steps(profile, n) : std::string();
}

double kappa(int64_t k, const oddtile_profile& profile) {
  if (k <= 1) return 0;
  if (profile.mma_products <= 0) return double(k);
  const int64_t group = profile.mma_products;
  const int64_t full = k / group, rest = k % group;
  double loss = double(full) * group_loss(double(group) + 1, profile);
  if (rest > 0) loss += group_loss(double(rest) + 1, profile);
  return loss - addend_loss(profile);  // the first accumulator is 0
}

double kappa_values(std::span<const int64_t> keys, const oddtile_profile& profile) {
  if (keys.size() <= 1 && profile.weight_dtype != oddtile_fp32) return 0;
  if (profile.mma_products <= 0) return double(keys.size());
  const int64_t tile = profile.tile_columns;
  const int64_t span = keys.empty() ? 0 : keys.back() - keys.front() + profile.mma_products;
  const int64_t most_groups = ceil_div<int64_t>(tile > 0 ? tile : span, profile.mma_products);
  double loss = 0;
  for_each_tile(keys, tile, [&](int64_t live) {
    const int64_t groups = std::min(live, most_groups);
    // `live` products and one accumulator per group; each group's result is truncated.
    loss += group_loss(double(live + groups), profile) + result_loss(profile) * double(groups - 1);
  });
  return loss;
}

double sum_depth(std::span<const int64_t> keys, const oddtile_profile& profile) {
  const int64_t lanes = profile.sum_lanes, tile = profile.tile_columns;
  if (lanes <= 0 || keys.empty()) return double(keys.size());
  // Without tiles the lanes take every lanes-th key.
  const int64_t span = keys.back() - keys.front() + 1;
  const int64_t share = ceil_div<int64_t>(tile > 0 ? tile : span, lanes);
  int64_t depth = 0;
  for_each_tile(keys, tile, [&](int64_t live) { depth += std::min(live, share); });
  return double(depth) + std::ceil(std::log2(double(lanes)));
}

double sum_depth(int64_t n, const oddtile_profile& profile) {
  const int64_t lanes = profile.sum_lanes;
  if (lanes <= 0) return double(n);
  const int64_t tile = profile.tile_columns > 0 ? profile.tile_columns : std::max<int64_t>(n, 1);
  const int64_t share = ceil_div(tile, lanes);
  const int64_t depth = n / tile * share + std::min(n % tile, share);
  return double(depth) + std::ceil(std::log2(double(lanes)));
}

int64_t tiles_touched(std::span<const int64_t> keys, const oddtile_profile& profile) {
  int64_t tiles = 0;
  for_each_tile(keys, profile.tile_columns, [&](int64_t) { ++tiles; });
  return tiles;
}

}  // namespace oddtile::oracles
