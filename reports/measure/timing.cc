#include "reports/measure/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>

#include "oracles/case/text.h"
#include "oracles/judge/judge.h"
#include "reports/measure/amounts.h"
#include "reports/measure/progress.h"
#include "reports/measure/ratio.h"
#include "reports/measure/rounds.h"

namespace oddtile::reports {
namespace {

using oracles::Workload;
using properties::Machine;
using properties::Prepared;
using Outputs = std::vector<std::vector<std::byte>>;

struct Data {
  Workload timed;
  Workload edges;
};

// What the device gave for one contender; judged later, perhaps on another thread.
struct Lane {
  std::string name;
  std::vector<double> us;  // one per round
  oddtile_profile timed_profile = {}, edge_profile = {};
  Outputs timed_outputs, edge_outputs;
  std::string timed_error, edge_error;  // empty, or why there are no outputs
};

std::shared_ptr<const Data> make_data(const TimingPoint& point) {
  return std::make_shared<const Data>(
      Data{oracles::materialise(point.timed, oracles::Poison::nan),
           oracles::materialise(point.edges, oracles::Poison::nan)});
}

std::string launch_once(Prepared& prepared, Machine& machine, const Contender& contender) {
  const oddtile_status status = prepared.launch();
  const std::string error = machine.synchronise();
  if (!error.empty()) return error;
  return status == oddtile_ok ? "" : contender.table->status_text(status);
}

// Rounds interleaved over the lanes. The last one writes the outputs that are judged: anything left
// from before shows as NaN.
void run_rounds(std::span<const std::unique_ptr<Prepared>> prepared, std::vector<Lane>& lanes,
                Timer& timer, const TimingPlan& plan) {
  std::vector<Launch> launches;
  for (const auto& one : prepared) launches.push_back([&one] { return one->launch(); });
  const auto us = timed_rounds(launches, timer, plan.rounds, [&](int round) {
    if (round + 1 < plan.rounds) return;
    for (const auto& one : prepared) one->poison_outputs();
  });
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i].us = us[i];
  for (Lane& lane : lanes) {
    if (std::all_of(lane.us.begin(), lane.us.end(), [](double us) { return us > 0; })) continue;
    lane.timed_error = "a launch failed while it was timed";  // such times are no times
    lane.us.clear();
  }
}

void run_edges(const Workload& workload, const Contender& contender, Machine& machine, Lane& lane) {
  const auto prepared = Prepared::make(workload, *contender.table, machine, &lane.edge_error);
  if (prepared == nullptr) return;
  lane.edge_profile = prepared->profile();
  lane.edge_error = launch_once(*prepared, machine, contender);
  if (!lane.edge_error.empty()) return;
  if (contender.deliver) contender.deliver();
  lane.edge_outputs = prepared->read_outputs();
}

// Everything that needs the device, for one point.
std::vector<Lane> run_point(const Data& data, std::span<const Contender> contenders,
                            Machine& machine, Timer& timer, const TimingPlan& plan,
                            std::vector<Skip>* skips) {
  std::vector<Lane> lanes;
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<const Contender*> taken;
  const std::string text = oracles::print(data.timed.subject);
  for (const Contender& contender : contenders) {
    const std::string name = contender.table->name;
    const auto skip = [&](const std::string& why, bool broken) {
      skips->push_back({"timing", name + " " + text, why, broken && !contender.peer});
    };
    const int64_t materialised = materialised_bytes(data.timed.subject);
    if (name == "eager" && materialised > plan.most_materialised) {
      skip(fmt::format("it would materialise {:.0f} GB of scores and weights, the limit is {:.0f}",
                       double(materialised) * 1e-9, double(plan.most_materialised) * 1e-9),
           false);
      continue;
    }
    std::string reason;
    auto one = Prepared::make(data.timed, *contender.table, machine, &reason);
    for (int i = 0; one != nullptr && i < plan.warm_ups && reason.empty(); ++i) {
      reason = launch_once(*one, machine, contender);
    }
    if (!reason.empty()) {
      skip(reason, one != nullptr || is_fused(*contender.table));
      continue;
    }
    lanes.push_back({.name = name, .timed_profile = one->profile()});
    prepared.push_back(std::move(one));
    taken.push_back(&contender);
  }
  if (lanes.empty() || machine.lost()) return lanes;
  run_rounds(prepared, lanes, timer, plan);
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (taken[i]->deliver) taken[i]->deliver();
    lanes[i].timed_outputs = prepared[i]->read_outputs();
  }
  prepared.clear();  // the edges need the memory
  for (size_t i = 0; i < lanes.size(); ++i) run_edges(data.edges, *taken[i], machine, lanes[i]);
  return lanes;
}

struct Judged {
  std::string verdict;
  double edges_visible = 0;
};

Judged judged(const Workload& workload, const Outputs& outputs, const oddtile_profile& profile,
              const std::string& error, const TimingPlan& plan) {
  if (!error.empty()) return {"fail (" + error + ")"};
  const oracles::Sampling sampling = {.rows_at_most = plan.rows_judged, .seed = 1};
  const oracles::Judgement judgement = oracles::judge(workload, outputs, profile, sampling);
  return {std::string(oracles::verdict_name(judgement.verdict)), judgement.visible_edge_keys};
}

void fill_times(const Data& data, const Lane& lane, TimingEntry& entry) {
  entry.rounds = int64_t(lane.us.size());
  const bool counted = counts_all_hidden(data.timed.subject);
  const bool by_flops = data.timed.subject.kernel() == oddtile_kernel_attention;
  if (counted) {
    entry.bytes = least_traffic(data.timed, 32).total();
    entry.flops = flops(data.timed.subject);
    entry.rate_unit = by_flops ? "TFLOP/s" : "GB/s";
  }
  if (lane.us.empty()) return;
  const Quartiles q = quartiles(lane.us);
  entry.us_lower = q.lower;
  entry.us_median = q.median;
  entry.us_upper = q.upper;
  if (!counted) return;
  entry.rate = by_flops ? double(entry.flops) / entry.us_median * 1e-6
                        : double(entry.bytes) / entry.us_median * 1e-3;
}

TimingEntry make_entry(const Data& data, const Lane& lane, const std::string& machine,
                       const TimingPlan& plan) {
  const oracles::Case& subject = data.timed.subject;
  TimingEntry entry;
  entry.machine = machine;
  entry.kernel = std::string(oracles::kernel_name(subject.kernel()));
  entry.implementation = lane.name;
  entry.configuration = lane.timed_profile.name;
  entry.series = series(subject);
  entry.size = size(subject);
  entry.case_text = oracles::print(subject);
  fill_times(data, lane, entry);
  entry.verdict =
      judged(data.timed, lane.timed_outputs, lane.timed_profile, lane.timed_error, plan).verdict;
  const Judged edges =
      judged(data.edges, lane.edge_outputs, lane.edge_profile, lane.edge_error, plan);
  entry.edge_verdict = edges.verdict;
  entry.edges_visible = edges.edges_visible;
  const bool same = std::string(lane.timed_profile.name) == lane.edge_profile.name;
  // N(0, 1) data at thousands of keys are vacuous by nature: the edges carry the proof.
  const bool timed_good = entry.verdict == "pass" || entry.verdict == "vacuous";
  entry.verified = same && timed_good && entry.edge_verdict == "pass";
  if (!same) entry.edge_verdict += " (another configuration)";
  return entry;
}

std::vector<TimingEntry> make_entries(const Data& data, std::vector<Lane> lanes,
                                      const std::string& machine, const TimingPlan& plan) {
  std::vector<TimingEntry> entries;
  const Lane* baseline = nullptr;
  for (const Lane& lane : lanes) {
    if (lane.name == plan.baseline) baseline = &lane;
  }
  for (const Lane& lane : lanes) {
    TimingEntry entry = make_entry(data, lane, machine, plan);
    if (baseline != nullptr && baseline != &lane && !baseline->us.empty() && !lane.us.empty()) {
      const Ratio ratio = paired_ratio(baseline->us, lane.us);
      entry.baseline = plan.baseline;
      entry.ratio = ratio.value;
      entry.ratio_low = ratio.low;
      entry.ratio_high = ratio.high;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Skip lost(const TimingPoint& point) {
  return {"timing", "everything from " + oracles::print(point.timed),
          "the device is lost after an error", true};
}

// Host memory that a point takes while it is in flight: two sets of data, and two outputs of each
// contender.
int64_t host_bytes(const TimingPoint& point) {
  return 4 * data_bytes(point.timed);
}

// Keeps a few points ahead of the device (making data) and behind it (judging), within a budget of
// host memory.
class Pipeline {
 public:
  Pipeline(const std::vector<TimingPoint>& points, const TimingPlan& plan)
      : points_(points), plan_(plan), data_(points.size()), entries_(points.size()) {}

  std::shared_ptr<const Data> data(size_t i) {
    while (next_ < points_.size() && next_ < i + kAhead && make_room(i)) {
      data_[next_] = std::async(std::launch::async, make_data, points_[next_]);
      ++next_;
    }
    return data_[i].get();
  }

  void judge(size_t i, std::shared_ptr<const Data> data, std::vector<Lane> lanes,
             const std::string& machine) {
    entries_[i] = std::async(std::launch::async, [=, this, lanes = std::move(lanes)]() mutable {
      return make_entries(*data, std::move(lanes), machine, plan_);
    });
  }

  std::vector<TimingEntry> finish() {
    while (judged_ < points_.size()) take_oldest();
    return std::move(done_);
  }

 private:
  static constexpr size_t kAhead = 6;
  static constexpr int64_t kBudget = int64_t(36) << 30;

  // Whether the next point may start, with point `i` about to run: waits for older judgements.
  bool make_room(size_t i) {
    const int64_t needed = host_bytes(points_[next_]);
    while (in_flight_ + needed > kBudget && judged_ < i) take_oldest();
    if (in_flight_ + needed > kBudget && next_ > i) return false;
    in_flight_ += needed;
    return true;
  }

  void take_oldest() {
    if (entries_[judged_].valid()) {
      for (TimingEntry& entry : entries_[judged_].get()) done_.push_back(std::move(entry));
    }
    in_flight_ -= host_bytes(points_[judged_]);
    ++judged_;
  }

  const std::vector<TimingPoint>& points_;
  const TimingPlan& plan_;
  std::vector<std::future<std::shared_ptr<const Data>>> data_;
  std::vector<std::future<std::vector<TimingEntry>>> entries_;
  std::vector<TimingEntry> done_;
  size_t next_ = 0;    // the first point whose data nobody makes yet
  size_t judged_ = 0;  // the first point whose entries were not taken yet
  int64_t in_flight_ = 0;
};

}  // namespace

std::vector<TimingEntry> time_point(const TimingPoint& point, std::span<const Contender> contenders,
                                    Machine& machine, Timer& timer, const TimingPlan& plan,
                                    std::vector<Skip>* skips) {
  const std::shared_ptr<const Data> data = make_data(point);
  std::vector<Lane> lanes = run_point(*data, contenders, machine, timer, plan, skips);
  if (machine.lost()) {
    skips->push_back(lost(point));
    return {};
  }
  return make_entries(*data, std::move(lanes), machine.name(), plan);
}

void time_points(const std::vector<TimingPoint>& points, std::span<const Contender> contenders,
                 Machine& machine, Timer& timer, const TimingPlan& plan, Record* record) {
  Progress progress("times on " + machine.name(), int64_t(points.size()));
  Pipeline pipeline(points, plan);
  for (size_t i = 0; i < points.size(); ++i) {
    progress.step(oracles::print(points[i].timed));
    const auto data = pipeline.data(i);
    std::vector<Lane> lanes = run_point(*data, contenders, machine, timer, plan, &record->skips);
    if (machine.lost()) {
      record->skips.push_back(lost(points[i]));
      break;
    }
    pipeline.judge(i, data, std::move(lanes), machine.name());
  }
  for (TimingEntry& entry : pipeline.finish()) record->timings.push_back(std::move(entry));
}

void timing_suite(Machine& machine, Timer& timer, Effort effort, Record* record) {
  const TimingPlan plan = {.rounds = effort == Effort::quick ? 9 : 15};
  std::vector<Contender> contenders;
  for (const oddtile_implementation* which : machine.implementations()) {
    contenders.push_back({which, {}});
  }
  record->ceilings.copy_gb_s = timer.copy_rate(int64_t(1) << 30, plan.rounds);
  std::string reason;
  record->ceilings.matmul_bf16_tflop_s = timer.matmul_rate(8192, plan.rounds, &reason);
  if (!reason.empty()) record->skips.push_back({"timing", "ceiling of bf16 products", reason});
  time_points(timing_points(effort), contenders, machine, timer, plan, record);
}

}  // namespace oddtile::reports
