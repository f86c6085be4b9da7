#include "reports/measure/io.h"

#include <fmt/format.h>

#include "oracles/case/text.h"
#include "reports/measure/amounts.h"
#include "reports/measure/progress.h"

namespace oddtile::reports {
namespace {

using oracles::AttentionCase;
using oracles::Case;
using oracles::SoftmaxCase;
using oracles::VectorAddCase;

// What any attention moves that stores scores (fp32) and weights (16 bits) of the visible pairs and
// reads them back, however well its products are tiled. The simulator's eager baseline, whose
// products are the plainest kernel there is, moves far more; this is the fair line. 0 for other
// kernels.
int64_t materialised(const Case& subject, const Traffic& least) {
  const auto* c = std::get_if<AttentionCase>(&subject.problem);
  if (c == nullptr) return 0;
  return least.total() + flops(subject) / (4 * c->head_dim) * 2 * (4 + 2);
}

std::string why_unclean(const properties::Outcome& outcome, const oddtile_implementation& which) {
  if (!outcome.hazards.empty()) return outcome.hazards[0].text;
  if (!outcome.violations.empty()) return outcome.violations[0];
  return which.status_text(outcome.status);
}

}  // namespace

std::vector<Case> io_cases(Effort effort) {
  std::vector<Case> cases;
  const bool full = effort == Effort::full;
  for (const bool causal : {false, true}) {
    for (const int64_t seq : {64, 128, 256, 512, 1024}) {
      if (seq > 128 && !full) continue;
      AttentionCase c;
      c.dtype = oddtile_bf16;
      c.seq_q = c.seq_k = seq;
      c.head_dim = 64;
      c.scale = 0.125;
      if (causal) c.band_high = 0;
      c.scores = oracles::Scores::noise;
      c.contents = oracles::Contents::noise;
      cases.push_back({.problem = c});
    }
  }
  for (const int64_t columns : {64, 512, 4096, 32768}) {
    if (columns > 512 && !full) continue;
    SoftmaxCase c;
    c.rows = 2;
    c.columns = columns;
    c.values = oracles::Values::noise;
    cases.push_back({.problem = c});
  }
  for (const auto mask :
       {oracles::MaskKind::none, oracles::MaskKind::half, oracles::MaskKind::runs}) {
    for (const int64_t n : {1024, 16384}) {
      VectorAddCase c;
      c.n = n;
      c.mask = mask;
      c.values = oracles::Values::noise;
      cases.push_back({.problem = c});
    }
  }
  return cases;
}

void measure_io(properties::Machine& machine, Effort effort, Record* record) {
  const std::vector<Case> cases = io_cases(effort);
  const auto implementations = machine.implementations();
  Progress progress("bytes on " + machine.name(), int64_t(cases.size() * implementations.size()));
  for (const Case& subject : cases) {
    const oracles::Workload workload = oracles::materialise(subject, oracles::Poison::nan);
    const Traffic least = least_traffic(workload, 1);
    const std::string kernel(oracles::kernel_name(subject.kernel()));
    for (const oddtile_implementation* which : implementations) {
      progress.step(fmt::format("{} {}", which->name, oracles::print(subject)));
      const properties::Outcome outcome =
          properties::run_workload(workload, *which, machine, subject.schedule);
      const std::string what = fmt::format("{} {}", which->name, oracles::print(subject));
      if (outcome.configuration < 0 && outcome.violations.empty()) {
        record->skips.push_back(
            {"io", what, "the implementation does not offer this problem", is_fused(*which)});
        continue;
      }
      if (!outcome.clean()) {  // counts of a broken run mean nothing
        record->skips.push_back({"io", what, why_unclean(outcome, *which), true});
        continue;
      }
      const properties::Counters& counted = outcome.counters;
      record->io.push_back({kernel, which->name, series(subject), size(subject),
                            oracles::print(subject), counted.bytes_read, counted.bytes_written,
                            counted.flops, counted.launches, least.read, least.written,
                            materialised(subject, least)});
    }
  }
}

}  // namespace oddtile::reports
