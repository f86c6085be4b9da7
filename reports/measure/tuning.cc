#include "reports/measure/tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "properties/checks/checks.h"
#include "properties/harness/buffers.h"
#include "reports/measure/by_name.h"
#include "reports/measure/long_buffers.h"
#include "reports/measure/ratio.h"
#include "reports/measure/rounds.h"

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::Role;
using oracles::Tensor;
using oracles::Workload;
using properties::Machine;

constexpr double kTooSlow = 2.0;  // times the fastest

// The verdict on a short case of the same shape in the configuration of this name. Positions beyond
// the last configuration begin anew.
std::string judged(const Case& subject, const std::string& name,
                   const oddtile_implementation& which, Machine& machine) {
  std::string first;
  for (int64_t position = 0;; ++position) {
    Case one = subject;
    one.configuration = position;
    const properties::CheckResult result = properties::check_case(one, which, machine);
    if (result.profile.name == name) return std::string(oracles::verdict_name(result.verdict));
    if (position == 0) {
      first = result.profile.name;
    } else if (result.profile.name == first) {
      return "not offered to the short case";
    }
  }
}

// Runs the contenders and the copy, which comes first, in rounds of a new random order.
std::vector<std::vector<double>> times_of(const std::vector<Launch>& launches, Timer& timer,
                                          int rounds, std::vector<bool>* slow) {
  std::vector<std::vector<double>> us(launches.size());
  std::vector<int> kept(launches.size());
  std::iota(kept.begin(), kept.end(), 0);
  Random random(1);
  for (int round = 0; round <= rounds; ++round) {
    std::vector<Launch> now;
    for (int i : kept) now.push_back(launches[size_t(i)]);
    const std::vector<double> got = timer.round(now, random_order(int(now.size()), random));
    if (round == 0) {  // warms up, and says what is not worth more rounds
      double best = std::numeric_limits<double>::infinity();
      for (size_t i = 1; i < got.size(); ++i) best = got[i] < best ? got[i] : best;
      std::vector<int> good;
      for (size_t i = 0; i < got.size(); ++i) {
        if (i == 0 || got[i] <= kTooSlow * best) good.push_back(int(i));
        (*slow)[i] = i > 0 && !(got[i] <= kTooSlow * best);
        if ((*slow)[i]) us[i] = {got[i]};
      }
      kept = good;
      continue;
    }
    for (size_t i = 0; i < kept.size(); ++i) us[size_t(kept[i])].push_back(got[i]);
  }
  return us;
}

// The bits that say which elements of one row are visible, all where there is no mask.
bool is_visible(const Tensor* mask, int64_t row, int64_t column) {
  return mask == nullptr || mask->bytes[size_t(mask->index(0, 0, row, column))] != std::byte(0);
}

// Puts a mask of another kind where the case has one.
void redraw_mask(Workload& workload, const TuningOptions& options) {
  const int index = workload.index_of(Role::mask);
  if (index < 0 || options.density < 0) return;
  Random random(workload.subject.seed + 1);
  bool visible = false;
  int64_t left = 0;
  for (std::byte& byte : workload.tensors[size_t(index)].bytes) {
    if (left-- == 0) {
      left = options.run - 1;
      visible = random.unit() < options.density;
    }
    byte = std::byte(visible ? 1 : 0);
  }
}

Case judged_part(const Case& subject, const TuningOptions& options) {
  const int64_t units = options.rows_judged * (elements_of_unit(subject) == 1 ? 1000 : 1);
  return with_length(subject, std::min(length_of(subject), units));
}

int64_t largest_workspace(const oddtile_implementation& which, const oddtile_problem& problem,
                          const std::vector<int32_t>& ids) {
  int64_t most = 0;
  for (int32_t id : ids) most = std::max(most, which.workspace_bytes(&problem, id));
  return most;
}

struct Sectors {
  int64_t touched = 0;
  int64_t partial = 0;  // of them, with a hidden element
};

// Rows ascend, so that a sector shared by two is met twice in a row.
Sectors sectors_of(const Tensor& tensor, const Tensor* mask) {
  const int64_t size = oracles::element_bytes(tensor.element);
  Sectors sectors;
  int64_t last = -1, last_partial = -1;
  for (int64_t row = 0; row < tensor.sizes[2]; ++row) {
    for (int64_t column = 0; column < tensor.sizes[3]; ++column) {
      const int64_t sector = tensor.index(0, 0, row, column) * size / 32;
      if (is_visible(mask, row, column)) {
        sectors.touched += sector != last;
        last = sector;
      } else if (sector != last_partial) {
        ++sectors.partial;
        last_partial = sector;
      }
    }
  }
  return sectors;
}

}  // namespace

int64_t sector_bytes(const Workload& workload) {
  const Tensor* mask = workload.find(Role::mask);
  const bool is_vector = workload.subject.kernel() == oddtile_kernel_vector_add;
  int64_t sectors = 0;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.role == Role::mask || (tensor.role == Role::y && !is_vector)) {
      sectors += sectors_of(tensor, nullptr).touched;
      continue;
    }
    const Sectors of = sectors_of(tensor, mask);
    sectors += of.touched;
    if (tensor.is_output && mask != nullptr) {
      // A sector with elements of both kinds is counted among the touched and the partial ones.
      const Sectors all = sectors_of(tensor, nullptr);
      sectors += std::max<int64_t>(0, of.touched + of.partial - all.touched);
    }
  }
  return 32 * sectors;
}

double host_bytes_of_tuning(const Case& subject) {
  const TuningOptions options;
  const Case made = with_length(subject, length_to_make(subject, options.elements_made));
  return host_bytes_of_check(made) + host_bytes_of_check(judged_part(subject, options));
}

TunedPoint tune(const Case& subject, const oddtile_implementation& which, Machine& machine,
                Timer& timer, const TuningOptions& options) {
  TunedPoint point;
  const int64_t length = length_of(subject);
  const auto stop = [&](const char* why) {
    point.problem = why;
    return point;
  };
  if (subject.kernel() == oddtile_kernel_attention || length == 0) {
    return stop("only softmax and vector add are tuned");
  }
  const int64_t made_length = length_to_make(subject, options.elements_made);
  Workload made = oracles::materialise(with_length(subject, made_length), oracles::Poison::nan);
  redraw_mask(made, options);
  point.bytes = int64_t(double(sector_bytes(made)) * double(length) / double(made_length));
  LongBuffers buffers(made, subject, machine, timer);
  const CopyBuffers copies(machine, point.bytes / 2 + 256);
  if (!buffers.ready() || !copies.ready()) return stop("the machine has no memory for it");
  const oddtile_problem& problem = buffers.problem();

  std::vector<int32_t> ids = properties::configurations_of(which, problem);
  if (ids.empty()) return stop("the problem is not offered");
  if (options.preferred_only) ids.resize(1);
  if (!buffers.add_workspace(largest_workspace(which, problem, ids))) {
    return stop("the machine has no memory for a workspace");
  }
  const auto repeated = [&](const Launch& one) {
    return options.repeats > 1 ? timer.repeated(one, options.repeats) : one;
  };
  std::vector<Launch> launches = {
      repeated(timer.copying(copies.to(), copies.from(), point.bytes / 2))};
  for (int32_t id : ids) launches.push_back(repeated(buffers.launching(which, id)));
  std::vector<bool> slow(launches.size(), false);
  const auto us = times_of(launches, timer, options.rounds, &slow);
  point.copy_us = quartiles(us[0]).median / options.repeats;
  const Case short_case = judged_part(subject, options);
  for (size_t i = 0; i < ids.size(); ++i) {
    oddtile_profile profile = {};
    which.describe(&problem, ids[i], &profile);
    TunedConfiguration one = {.name = profile.name, .preferred = i == 0};
    const auto& mine = us[i + 1];
    one.us = quartiles(mine).median / options.repeats;
    one.share = slow[i + 1] ? point.copy_us / one.us : paired_ratio(us[0], mine).value;
    one.verdict = slow[i + 1]      ? "slow"
                  : options.verify ? judged(short_case, one.name, which, machine)
                                   : "not judged";
    const bool repeats = made_length % 64 == 0 && options.verify && !slow[i + 1];
    if (repeats && !buffers.far_end_is_right(buffers.launching(which, ids[i]))) {
      one.verdict = "fail: the far end differs";
    }
    point.configurations.push_back(std::move(one));
  }
  std::stable_sort(point.configurations.begin(), point.configurations.end(),
                   [](const auto& a, const auto& b) { return a.us < b.us; });
  return point;
}

}  // namespace oddtile::reports
