// `oddtile tune '<case>' ...`: every configuration of a case beside a copy of as many bytes.
#include <fmt/format.h>

#include <cstdio>

#include "oracles/case/text.h"
#include "reports/cli/selection.h"
#include "reports/measure/tuning.h"

namespace oddtile::reports {
namespace {

void print(const std::string& text, const TunedPoint& point) {
  fmt::print("{}\n  {:.1f} MB in sectors; copy {:.2f} us, {:.0f} GB/s\n", text,
             double(point.bytes) * 1e-6, point.copy_us, double(point.bytes) / point.copy_us * 1e-3);
  if (!point.problem.empty()) fmt::print("  {}\n", point.problem);
  for (const TunedConfiguration& one : point.configurations) {
    fmt::print("  {}{:<42} {:>10.2f} us  {:.3f} of copy  {}\n", one.preferred ? '*' : ' ', one.name,
               one.us, one.share, one.verdict);
  }
  std::fflush(stdout);
}

}  // namespace

int tune_command(const TuneOptions& options) {
  std::vector<std::pair<std::string, oracles::Case>> cases;
  for (const auto& [text, where] : case_lines(options.cases)) {
    cases.emplace_back(text, case_of(text, where, host_bytes_of_tuning));
  }
  properties::Machine& machine = machine_named(options.machine);
  std::string reason;
  const std::unique_ptr<Timer> timer = make_timer(machine, &reason);
  if (timer == nullptr) throw WrongUse("cannot time: " + reason);
  const oddtile_implementation& fused = implementation_named("fused", machine);
  const TuningOptions tuning = {.rounds = options.rounds,
                                .repeats = options.repeats,
                                .preferred_only = options.preferred,
                                .verify = !options.unverified,
                                .density = options.density,
                                .run = options.run};
  bool clean = true;
  for (const auto& [text, subject] : cases) {
    const TunedPoint point = tune(subject, fused, machine, *timer, tuning);
    print(text, point);
    for (const TunedConfiguration& one : point.configurations) {
      clean = clean && !one.verdict.starts_with("fail") && one.us > 0;
    }
    clean = clean && point.problem.empty();
  }
  return clean ? 0 : 1;
}

}  // namespace oddtile::reports
