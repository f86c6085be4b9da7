// Slow and full: the findings as lines. Matching is elsewhere, fast and silent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/base/bits.h"
#include "oracles/bounds/attention.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

std::string wanted(const Expectation& expected) {
  using Kind = Expectation::Kind;
  switch (expected.kind) {
    case Kind::nan:
      return "NaN";
    case Kind::infinity_or_nan:
      return fmt::format("{} or NaN", expected.exact);
    case Kind::positive_zero:
      return "+0";
    case Kind::exactly:
      return fmt::format("{:.9g} exactly", expected.exact);
    case Kind::number:
      break;
  }
  return fmt::format("{:.9g} within {:.3g}", expected.exact, expected.bound);
}

// Where the element lies in its tile, and which lane of a warp holds it as an accumulator of
// mma m16n8 (lane = 4 (row mod 8) + (column mod 8) / 2).
std::string position(oddtile_kernel kernel, Role role, const std::array<int64_t, 4>& index,
                     const oddtile_profile& profile) {
  std::string text;
  const int64_t row = index[2], column = index[3];
  if (kernel == oddtile_kernel_attention) {
    if (profile.tile_rows > 0)
      text += fmt::format(", tile {} row {}", row / profile.tile_rows, row % profile.tile_rows);
    if (role == Role::o && profile.mma_products > 0)
      text += fmt::format(", fragment lane {}", row % 8 * 4 + column % 8 / 2);
    return text;
  }
  if (kernel == oddtile_kernel_softmax && profile.tile_rows > 1)
    text += fmt::format(", row {} of tile {}", row % profile.tile_rows, row / profile.tile_rows);
  if (profile.tile_columns > 0) {
    text += fmt::format(", tile {} column {}", column / profile.tile_columns,
                        column % profile.tile_columns);
    if (profile.sum_lanes > 0) text += fmt::format(" of {} lanes", profile.sum_lanes);
  }
  return text;
}

std::string place(oddtile_kernel kernel, Role role, const std::array<int64_t, 4>& index) {
  if (kernel == oddtile_kernel_vector_add) return fmt::format("{}[{}]", role_name(role), index[3]);
  if (kernel == oddtile_kernel_softmax)
    return fmt::format("{}[row {}, column {}]", role_name(role), index[2], index[3]);
  const std::string row =
      fmt::format("{}[batch {}, head {}, query {}", role_name(role), index[0], index[1], index[2]);
  return role == Role::lse ? row + "]" : row + fmt::format(", element {}]", index[3]);
}

std::string key_place(int64_t key, int64_t tile) {
  if (tile <= 0) return fmt::format("key {}", key);
  return fmt::format("key {} (tile {} column {})", key, key / tile, key % tile);
}

// Whether the finding is what dropping live key number `j` would give.
bool without(const AttentionRow& row, const KeysAndValues& kv, const AttentionBound& bound,
             size_t j, Role role, int64_t column, double got) {
  const double p = row.weight[j];
  if (p >= 1) return false;
  if (role == Role::lse) return std::fabs(got - (row.lse + std::log1p(-p))) <= bound.lse;
  const double v = kv.v[size_t(row.keys[j] * kv.head_dim + column)];
  const double o = row.o[size_t(column)], dropped = (o - p * v) / (1 - p);
  return std::fabs(got - dropped) <= bound.o[size_t(column)];
}

// The row of the worst finding, seen closely: which keys it has, and whether one of them is
// missing.
std::string look_at_row(const Outcome::Part& part, const Evidence& evidence) {
  const Finding& finding = part.tally.findings().front();
  if (finding.expected.kind != Expectation::Kind::number) return {};
  const AttentionOracle oracle(evidence.workload);
  const AttentionCase& c = oracle.subject();
  const int64_t tile = evidence.profile.tile_columns;
  const KeysAndValues kv = oracle.load(finding.index[0], finding.index[1] / c.group);
  AttentionRow row;
  oracle.row(kv, finding.index[0], finding.index[1], finding.index[2], Precision::standard, row);
  if (row.row_class != RowClass::live) return {};
  AttentionBound bound;
  bound_attention(row, kv, c.scale, evidence.profile, c.dtype, bound);
  const auto most = std::max_element(row.weight.begin(), row.weight.end());
  std::string text = fmt::format("  its row: {} live keys, {} to {}, most weight {:.3g} at key {}",
                                 row.keys.size(), key_place(row.keys.front(), tile),
                                 key_place(row.keys.back(), tile), *most,
                                 row.keys[size_t(most - row.weight.begin())]);
  std::string missing;
  int64_t candidates = 0;
  for (size_t j = 0; j < row.keys.size(); ++j) {
    if (!without(row, kv, bound, j, part.role, finding.index[3], finding.got)) continue;
    if (candidates++ == 0) missing = key_place(row.keys[j], tile);
  }
  if (candidates == 1) text += "; as if " + missing + " were missing";
  if (candidates > 1) text += fmt::format("; as if one of {} keys were missing", candidates);
  return text + "\n";
}

}  // namespace

std::string explain(const Outcome& outcome, const Evidence& evidence) {
  const oddtile_kernel kernel = evidence.workload.subject.kernel();
  std::string text;
  for (const Outcome::Part& part : outcome.parts) {
    if (part.tally.findings().empty()) continue;
    for (const Finding& finding : part.tally.findings())
      text += fmt::format("{}: got {:.9g}, exact {}, ratio {:.4g}, law {}{}\n",
                          place(kernel, part.role, finding.index), finding.got,
                          wanted(finding.expected), finding.ratio, finding.law,
                          position(kernel, part.role, finding.index, evidence.profile));
    if (kernel == oddtile_kernel_attention) text += look_at_row(part, evidence);
    const int64_t more = part.tally.failed() - int64_t(part.tally.findings().size());
    if (more > 0)
      text += fmt::format("{}: and {} more of {} judged\n", role_name(part.role), more,
                          part.tally.judged());
  }
  return text;
}

}  // namespace oddtile::oracles
