#include "reports/measure/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "oracles/case/text.h"
#include "oracles/judge/judge.h"
#include "properties/harness/buffers.h"
#include "reports/measure/amounts.h"
#include "reports/measure/by_name.h"
#include "reports/measure/long_buffers.h"
#include "reports/measure/ratio.h"
#include "reports/measure/rounds.h"
#include "reports/measure/timing_points.h"
#include "reports/measure/tuning.h"

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::Tensor;
using oracles::Verdict;
using oracles::Workload;
using properties::Machine;

// An output on the host: what the launch left of each repetition of the data.
using Parts = std::vector<Buffers>;

// One library on one case.
struct Lane {
  const oddtile_implementation* table;
  int32_t id = -1;
  oddtile_profile profile = {};
  ComparedEntry entry;

  bool runs() const { return entry.problem.empty(); }
  void stop(std::string why) { entry.problem = std::move(why); }
};

// The id that a library runs: its preferred one, or that of a name.
void choose(Lane& lane, const oddtile_problem& problem, const std::string& name,
            const Machine& machine) {
  const std::vector<int32_t> ids = properties::configurations_of(*lane.table, problem);
  if (ids.empty()) return lane.stop("does not offer this case");
  for (const int32_t id : ids) {
    const auto profile = properties::profile_of(*lane.table, problem, id, machine);
    if (!profile) return lane.stop(fmt::format("cannot describe its configuration {}", id));
    if (!name.empty() && name != profile->name) continue;
    lane.id = id;
    lane.profile = *profile;
    lane.entry.configuration = profile->name;
    return;
  }
  lane.stop(fmt::format("has no configuration '{}' for this case", name));
}

// The name of the baseline's configuration that a case asks for; empty: none.
std::string wanted_name(const Case& subject, const oddtile_implementation& baseline,
                        const oddtile_problem& problem, const Machine& machine) {
  if (subject.configuration < 0) return {};
  const int32_t id = properties::choose_configuration(baseline, problem, subject.configuration).id;
  const auto profile = properties::profile_of(baseline, problem, id, machine);
  return profile ? profile->name : "";
}

// Adds one set of data's to `bits`.
void count_bits(const LongBuffers& buffers, const Parts& baseline, const Parts& parts,
                std::vector<ComparedBits>& bits) {
  for (int i = 0, output = 0; i < int(parts[0].size()); ++i) {
    if (!buffers.extent_of(0, i).is_output) continue;
    if (output == int(bits.size())) bits.emplace_back();
    ComparedBits& counted = bits[size_t(output++)];
    for (int64_t part = 0; part < int64_t(parts.size()); ++part) {
      const Tensor extent = buffers.extent_of(part, i);
      counted.tensor = oracles::role_name(extent.role);
      counted.elements += extent.count();
      properties::for_each_difference(extent, baseline[size_t(part)][size_t(i)],
                                      parts[size_t(part)][size_t(i)],
                                      [&](int64_t) { ++counted.differing; });
    }
  }
}

std::string run_once(const Lane& lane, const Launch& launch, Machine& machine) {
  const oddtile_status status = launch();
  const std::string error = machine.synchronise();
  if (machine.lost()) return "the device is lost after an error: " + error;
  if (!error.empty()) return error;
  return status == oddtile_ok ? "" : lane.table->status_text(status);
}

class Comparison {
 public:
  Comparison(const Case& subject, std::span<const Library> libraries, Machine& machine,
             Timer& timer, const ComparisonOptions& options)
      : subject_(subject),
        short_(with_length(subject, length_to_make(subject, options.elements_made))),
        machine_(machine),
        timer_(timer),
        options_(options) {
    for (const Library& library : libraries) {
      lanes_.push_back({.table = library.table});
      lanes_.back().entry.case_text = oracles::print(subject);
      lanes_.back().entry.library = library.name;
    }
  }

  std::vector<ComparedEntry> run(int32_t* offered) {
    if (machine_.lost()) return stopped("the device is lost after an error");
    const Workload made = oracles::materialise(short_, oracles::Poison::nan);
    if (std::any_of(made.tensors.begin(), made.tensors.end(),
                    [](const Tensor& tensor) { return tensor.is_output && tensor.count() == 0; })) {
      return stopped("there is nothing to compute");
    }
    {
      LongBuffers buffers(made, subject_, machine_, timer_);
      if (!buffers.ready()) return stopped("the machine has no memory for it");
      choose_all(buffers, offered);
      if (!buffers.add_workspace(largest_workspace(buffers))) {
        return stopped("the machine has no memory for a workspace");
      }
      time(made, buffers);
      check(made, buffers, "");
    }
    const Workload edges = oracles::materialise(edge_case(short_), oracles::Poison::nan);
    LongBuffers buffers(edges, edge_case(subject_), machine_, timer_);
    if (!buffers.ready() || !buffers.add_workspace(largest_workspace(buffers))) {
      return stopped("the machine has no memory for data that show edges");
    }
    check(edges, buffers, "edges ");
    return entries();
  }

 private:
  std::vector<ComparedEntry> stopped(const std::string& why) {
    for (Lane& lane : lanes_) {
      if (lane.runs()) lane.stop(why);
    }
    return entries();
  }

  std::vector<ComparedEntry> entries() {
    std::vector<ComparedEntry> result;
    for (Lane& lane : lanes_) result.push_back(std::move(lane.entry));
    return result;
  }

  void choose_all(const LongBuffers& buffers, int32_t* offered) {
    const oddtile_problem& problem = buffers.problem();
    const oddtile_implementation& baseline = *lanes_[0].table;
    if (offered != nullptr) {
      *offered = int32_t(properties::configurations_of(baseline, problem).size());
    }
    const std::string name = wanted_name(subject_, baseline, problem, machine_);
    for (Lane& lane : lanes_) choose(lane, problem, name, machine_);
  }

  int64_t largest_workspace(const LongBuffers& buffers) const {
    int64_t most = 0;
    for (const Lane& lane : lanes_) {
      if (!lane.runs()) continue;
      most = std::max(most, lane.table->workspace_bytes(&buffers.problem(), lane.id));
    }
    return most;
  }

  Launch repeated(const Launch& launch) {
    return options_.repeats > 1 ? timer_.repeated(launch, options_.repeats) : launch;
  }

  // The libraries and, where bytes are what counts, a copy of as many, last.
  void time(const Workload& made, LongBuffers& buffers) {
    std::vector<Lane*> timed;
    std::vector<Launch> launches;
    for (Lane& lane : lanes_) {
      if (!lane.runs()) continue;
      const Launch launch = buffers.launching(*lane.table, lane.id);
      const std::string error = run_once(lane, launch, machine_);
      if (!error.empty()) {
        lane.stop(error);
        continue;
      }
      timed.push_back(&lane);
      launches.push_back(repeated(launch));
    }
    if (timed.empty() || machine_.lost()) return;
    std::optional<CopyBuffers> copies;
    if (subject_.kernel() != oddtile_kernel_attention) {
      const int64_t bytes = int64_t(double(sector_bytes(made)) * double(length_of(subject_)) /
                                    double(length_of(short_)));
      copies.emplace(machine_, bytes / 2 + 256);
      if (copies->ready()) {
        launches.push_back(repeated(timer_.copying(copies->to(), copies->from(), bytes / 2)));
      }
    }
    fill_times(timed, rounds_of(launches, buffers));
  }

  // In place each round begins with the case's own data again; within a round the next library
  // gets what the one before has left, in a random order.
  std::vector<std::vector<double>> rounds_of(const std::vector<Launch>& launches,
                                             LongBuffers& buffers) {
    auto us = timed_rounds(launches, timer_, options_.rounds + 1, [&](int) {
      if (buffers.is_in_place()) buffers.restore_outputs();
    });
    for (std::vector<double>& one : us) {
      one.erase(one.begin());  // warms up
      for (double& each : one) each /= options_.repeats;
    }
    return us;
  }

  void fill_times(const std::vector<Lane*>& timed, const std::vector<std::vector<double>>& us) {
    const Lane& first = *timed[0];
    const bool is_compared = &first == &lanes_[0] && median_of_finite(us[0]);
    for (size_t i = 0; i < timed.size(); ++i) {
      if (!median_of_finite(us[i])) {
        timed[i]->stop("a launch failed while it was timed");
        continue;
      }
      ComparedEntry& entry = timed[i]->entry;
      const Quartiles q = quartiles(us[i]);
      entry.us_lower = q.lower;
      entry.us_median = q.median;
      entry.us_upper = q.upper;
      entry.us = us[i];
      fill_rate(entry);
      if (us.size() > timed.size() && median_of_finite(us.back())) {
        entry.copy_us = quartiles(us.back()).median;
        entry.copy_share = paired_ratio(us.back(), us[i]).value;
      }
      if (i == 0 || !is_compared) continue;
      const Ratio ratio = ranked_ratio(us[i], us[0]);
      entry.baseline = first.entry.library;
      entry.slowdown = ratio.value;
      entry.slowdown_low = ratio.low;
      entry.slowdown_high = ratio.high;
    }
  }

  void fill_rate(ComparedEntry& entry) const {
    if (subject_.kernel() != oddtile_kernel_attention || !counts_all_hidden(subject_)) return;
    entry.rate_unit = "TFLOP/s";
    entry.rate = double(flops(subject_)) / entry.us_median * 1e-6;
  }

  // One launch of each library on fresh inputs and outputs: its verdict, bits beside the
  // baseline's, and whether the inputs are what they were.
  void check(const Workload& made, LongBuffers& buffers, const std::string& what) {
    Parts baseline;
    for (Lane& lane : lanes_) {
      if (!lane.runs()) continue;
      buffers.restore();
      const std::string error = run_once(lane, buffers.launching(*lane.table, lane.id), machine_);
      if (machine_.lost() || !error.empty()) {
        lane.stop(what.empty() ? error : "on data that show edges: " + error);
        continue;
      }
      Parts parts;
      for (int64_t i = 0; i < buffers.repetitions(); ++i) parts.push_back(buffers.outputs_of(i));
      judge(made, parts, what, lane);
      if (lane.entry.overwritten.empty()) lane.entry.overwritten = buffers.changed_input();
      if (&lane == &lanes_[0]) {
        baseline = std::move(parts);
      } else if (!lane.entry.baseline.empty() && !baseline.empty()) {
        count_bits(buffers, baseline, parts, lane.entry.bits);
      }
    }
  }

  // What equals the first repetition needs no judgement of its own.
  void judge(const Workload& made, const Parts& parts, const std::string& what, Lane& lane) const {
    Verdict worst = Verdict::pass;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && same_output_bits(made, parts[0], parts[i])) continue;
      const oracles::Judgement one = oracles::judge(made, parts[i], lane.profile, sampling());
      worst = std::max(worst, one.verdict);
      if (one.verdict != Verdict::fail || !lane.entry.explanation.empty()) continue;
      lane.entry.explanation =
          what + place_of(int64_t(i)) + one.explanation.substr(0, one.explanation.find('\n'));
    }
    std::string& verdict = lane.entry.verdict;
    const std::string now(oracles::verdict_name(worst));
    if (verdict.empty()) {
      verdict = now;
    } else if (verdict != now) {
      verdict += ", " + what + now;
    }
  }

  // Where the first row or element of a repetition lies: lines of the judge count from there.
  std::string place_of(int64_t repetition) const {
    if (repetition == 0) return {};
    const bool is_matrix = subject_.kernel() == oddtile_kernel_softmax;
    return fmt::format("from {} {} on, ", is_matrix ? "row" : "element",
                       repetition * length_of(short_));
  }

  // Of softmax and vector add all that was made, if that is what was asked for.
  oracles::Sampling sampling() const {
    const bool is_attention = subject_.kernel() == oddtile_kernel_attention;
    const int64_t made = is_attention ? 0 : options_.elements_made / elements_of_unit(subject_);
    return {.rows_at_most = std::max(options_.rows_judged, made), .seed = 1};
  }

  const Case subject_;
  const Case short_;
  Machine& machine_;
  Timer& timer_;
  const ComparisonOptions& options_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::vector<ComparedEntry> compare(const Case& subject, std::span<const Library> libraries,
                                   Machine& machine, Timer& timer, const ComparisonOptions& options,
                                   int32_t* offered) {
  return Comparison(subject, libraries, machine, timer, options).run(offered);
}

double host_bytes_of_comparison(const Case& subject) {
  const Case made =
      with_length(subject, length_to_make(subject, ComparisonOptions{}.elements_made));
  return host_bytes_of_check(made) + 2 * double(output_bytes(subject));
}

std::string finding(const ComparedEntry& entry, double slower) {
  if (!entry.problem.empty()) return "not compared";
  std::string wrong;
  for (const char* word : {"fail", "suspect"}) {
    if (entry.verdict.find(word) != std::string::npos) wrong = "wrong output";
  }
  if (!entry.overwritten.empty()) {
    wrong +=
        fmt::format("{}writes into {}, an input", wrong.empty() ? "" : ", ", entry.overwritten);
  }
  if (!wrong.empty()) return wrong;
  const bool gate = slower > 0 && !entry.baseline.empty();
  return gate && entry.slowdown_low > slower ? fmt::format("slower than {}", slower) : "";
}

}  // namespace oddtile::reports
