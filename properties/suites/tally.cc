#include <fmt/format.h>

#include <algorithm>

#include "properties/suites/suite.h"

namespace oddtile::properties {

void Tally::add(const CheckResult& result) {
  if (failed) return;
  ++cases;
  if (!result.offered) {
    ++not_offered;
    return;
  }
  failed = result.verdict == oracles::Verdict::fail;
  vacuous += result.verdict == oracles::Verdict::vacuous;
  suspect += result.verdict == oracles::Verdict::suspect;
  launches += result.launches;
  for (const oracles::Quantity& quantity : result.judgement.quantities) {
    judged += quantity.judged;
    not_judged += quantity.not_judged;
    worst_ratio = std::max(worst_ratio, quantity.worst_ratio);
  }
}

std::string Tally::text() const {
  const auto share = [&](int64_t part) {
    return 100.0 * double(part) / double(std::max<int64_t>(cases, 1));
  };
  return fmt::format(
      "{} cases ({} not offered, {} vacuous = {:.1f} %, {} suspect), {} launches, {} elements "
      "judged, {} outside the domain of the bound, worst share of a bound {:.3f}",
      cases, not_offered, vacuous, share(vacuous), suspect, launches, judged, not_judged,
      worst_ratio);
}

std::string Tally::proves_nothing() const {
  if (cases == 0) return "no case was run";
  if (launches == 0) return "nothing was launched";
  if (judged == 0) return "no element was judged";
  if (2 * not_offered > cases) return "more than half of the cases are declined";
  if (2 * vacuous > cases) return "more than half of the cases are vacuous";
  return {};
}

}  // namespace oddtile::properties
