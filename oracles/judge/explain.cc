// Slow and full: the findings as lines. Matching is elsewhere, fast and silent.
#include <fmt/format.h>

#include <string>

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
  } else if (profile.tile_columns > 0) {
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

}  // namespace

std::string explain(const Outcome& outcome, const Evidence& evidence) {
  const oddtile_kernel kernel = evidence.workload.subject.kernel();
  std::string text;
  for (const Outcome::Part& part : outcome.parts) {
    for (const Finding& finding : part.tally.findings())
      text += fmt::format("{}: got {:.9g}, exact {}, ratio {:.4g}, law {}{}\n",
                          place(kernel, part.role, finding.index), finding.got,
                          wanted(finding.expected), finding.ratio, finding.law,
                          position(kernel, part.role, finding.index, evidence.profile));
    const int64_t more = part.tally.failed() - int64_t(part.tally.findings().size());
    if (more > 0)
      text += fmt::format("{}: and {} more of {} judged\n", role_name(part.role), more,
                          part.tally.judged());
  }
  return text;
}

}  // namespace oddtile::oracles
