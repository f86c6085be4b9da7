// `oddtile run '<case>'`: one case through every check, with what the judge measured.
#include <fmt/format.h>

#include "oracles/case/text.h"
#include "oracles/judge/power.h"
#include "properties/checks/checks.h"
#include "reports/cli/selection.h"
#include "reports/measure/error_sweep.h"

namespace oddtile::reports {
namespace {

using oracles::Quantity;
using oracles::Verdict;

void print_quantity(const Quantity& q) {
  const auto& at = q.worst_index;
  fmt::print("  {:<4} {} judged, {} not judged, {} failed\n", oracles::role_name(q.role), q.judged,
             q.not_judged, q.failed);
  if (q.judged == 0) return;
  fmt::print("       share of the bound: worst {:.4g}, p99 {:.4g}, rms {:.4g}, mean {:+.3g}\n",
             q.worst_ratio, q.p99_ratio, q.rms_ratio, q.signed_mean);
  fmt::print("       worst element [{} {} {} {}]: got {:.9g}, exact {:.9g}, bound {:.3g}\n", at[0],
             at[1], at[2], at[3], q.got, q.exact, q.bound);
}

const char* explain(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "every check holds";
    case Verdict::vacuous:
      return "nothing is wrong, but this case could not have shown much";
    case Verdict::suspect:
      return "within the bound, yet unlikely for a correct kernel";
    case Verdict::fail:
      return "";
  }
  return "";
}

void print_result(const oracles::Case& subject, const oddtile_implementation& which,
                  const properties::Machine& machine, const properties::CheckResult& result) {
  const std::string why =
      result.verdict == Verdict::fail ? "breaks " + result.broken : explain(result.verdict);
  fmt::print("{}: {} of {} on {}: {}\n", oracles::verdict_name(result.verdict),
             oracles::kernel_name(subject.kernel()), which.name, machine.name(), why);
  fmt::print("  case {}\n", oracles::print(subject));
  fmt::print("  profile {}: {}\n", result.profile.name,
             profile_text(subject.kernel(), result.profile));
  for (const Quantity& quantity : result.judgement.quantities) print_quantity(quantity);
  if (subject.kernel() == oddtile_kernel_attention) {
    fmt::print("  {:.0f} % of the edge keys are visible in the outputs\n",
               100 * result.judgement.visible_edge_keys);
  }
  const oracles::Suspicion& sampled = result.judgement.suspicion;
  if (sampled.rows > 0) {
    fmt::print(
        "  statistical form: {} rows, worst share {:.3g}, sign of the errors: z = {:+.1f} of O, "
        "{:+.1f} of LSE\n",
        sampled.rows, sampled.worst_ratio, sampled.z_o, sampled.z_lse);
  }
  const auto workload = oracles::materialise(subject, oracles::Poison::nan);
  fmt::print("{}", oracles::describe(oracles::measure_power(workload, result.profile)));
  if (result.verdict != Verdict::fail) fmt::print("{}", result.judgement.explanation);
  if (result.counters.launches > 0) {
    fmt::print("  {} launches, {} bytes read, {} written, {} flops\n", result.counters.launches,
               result.counters.bytes_read, result.counters.bytes_written, result.counters.flops);
  }
  if (!result.report.empty()) {
    fmt::print("{}{}", result.report, result.report.ends_with('\n') ? "" : "\n");
  }
}

}  // namespace

int run_command(const Selection& selection) {
  const oracles::Case subject = chosen_case(selection);
  properties::Machine& machine = machine_named(selection.machine);
  choose_arithmetic(selection, machine);
  const oddtile_implementation& which = chosen_implementation(selection, machine);
  const properties::CheckResult result = properties::check_case(subject, which, machine);
  if (!result.offered) {
    throw WrongUse(fmt::format("{} on {} does not offer this problem: {}", which.name,
                               machine.name(), oracles::print(subject)));
  }
  if (selection.json) {
    fmt::print("{}", to_json(error_entry(subject, which, machine, result)));
  } else {
    print_result(subject, which, machine, result);
  }
  const bool clean = result.verdict == Verdict::pass || result.verdict == Verdict::vacuous;
  return clean ? 0 : 1;
}

}  // namespace oddtile::reports
