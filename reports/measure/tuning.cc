#include "reports/measure/tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/base/random.h"
#include "properties/checks/checks.h"
#include "properties/harness/buffers.h"
#include "reports/measure/ratio.h"

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::Role;
using oracles::SoftmaxCase;
using oracles::Tensor;
using oracles::VectorAddCase;
using oracles::Workload;
using properties::Machine;

constexpr double kTooSlow = 2.0;  // times the fastest

// How long the case is in its outermost dimension.
int64_t length_of(const Case& subject) {
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return c->rows;
  if (const auto* c = std::get_if<VectorAddCase>(&subject.problem)) return c->n;
  return 0;
}

Case with_length(Case subject, int64_t length) {
  if (auto* c = std::get_if<SoftmaxCase>(&subject.problem)) c->rows = length;
  if (auto* c = std::get_if<VectorAddCase>(&subject.problem)) c->n = length;
  return subject;
}

// Elements of one unit of that length.
int64_t unit_of(const Case& subject) {
  const auto* c = std::get_if<SoftmaxCase>(&subject.problem);
  return c != nullptr ? std::max<int64_t>(c->columns, 1) : 1;
}

// A workload on the device, `times` as long as on the host and a little.
class LongBuffers {
 public:
  LongBuffers(const Workload& made, int64_t length, Machine& machine, Timer& timer)
      : machine_(machine) {
    const int64_t made_length = length_of(made.subject);
    for (const Tensor& tensor : made.tensors) {
      if (tensor.alias_of >= 0) {
        addresses_.push_back(addresses_[size_t(tensor.alias_of)]);
        is_aliased_ = true;
        continue;
      }
      const int64_t size = oracles::element_bytes(tensor.element);
      const int64_t stride = tensor.sizes[2] > 1 ? tensor.strides[2] : tensor.capacity;
      const bool is_vector = made.subject.kernel() == oddtile_kernel_vector_add;
      const int64_t period = (is_vector ? made_length : stride * made_length) * size;
      const int64_t begin = tensor.offset * size;
      if (tensor.is_output) output_period_ = period;
      const int64_t needed = begin + (period * length) / std::max<int64_t>(made_length, 1) + 4096;
      auto* to = static_cast<std::byte*>(
          machine.allocate(std::max<int64_t>(needed, int64_t(tensor.bytes.size()))));
      addresses_.push_back(to);
      if (to == nullptr) return;
      blocks_.push_back({to, std::max<int64_t>(needed, int64_t(tensor.bytes.size()))});
      machine.copy_in(to, tensor.bytes.data(), int64_t(tensor.bytes.size()));
      for (int64_t filled = period; filled > 0 && filled < needed - begin;) {
        const int64_t bytes = std::min(filled, needed - begin - filled);
        timer.copying(to + begin + filled, to + begin, bytes)();
        filled += bytes;
      }
    }
    ready_ = machine.synchronise().empty();
  }
  LongBuffers(const LongBuffers&) = delete;
  LongBuffers& operator=(const LongBuffers&) = delete;
  ~LongBuffers() {
    for (const Block& block : blocks_) machine_.release(block.address);
  }

  // Before a launch: machines that check want to know what may be touched.
  void allow() const {
    machine_.begin(0);
    for (const Block& block : blocks_) machine_.allow(block.address, block.bytes, "tensor");
  }

  bool ready() const { return ready_; }

  // Whether a launch writes the same bits to the first and to the last whole repetition of the
  // data, of `count`: what is far from the start is computed as what is near. True where nothing
  // repeats, or where data are replaced by results.
  bool far_end_is_right(const Launch& launch, int64_t count, void* output) const {
    if (count < 2 || output_period_ == 0 || is_aliased_) return true;
    auto* first = static_cast<std::byte*>(output);
    auto* last = first + output_period_ * (count - 1);
    machine_.fill(first, 0xFF, output_period_);
    machine_.fill(last, 0xFF, output_period_);
    if (launch() != oddtile_ok || !machine_.synchronise().empty()) return false;
    const auto bytes = static_cast<size_t>(output_period_);
    std::vector<std::byte> near(bytes), far(bytes);
    machine_.copy_out(near.data(), first, output_period_);
    machine_.copy_out(far.data(), last, output_period_);
    return near == far;
  }

  oddtile_problem problem(const Workload& made, int64_t length) const {
    oddtile_problem problem = oracles::bind(made, addresses_);
    if (problem.kernel == oddtile_kernel_softmax) problem.softmax.rows = length;
    if (problem.kernel == oddtile_kernel_vector_add) problem.vector_add.n = length;
    return problem;
  }

 private:
  struct Block {
    void* address;
    int64_t bytes;
  };

  Machine& machine_;
  std::vector<void*> addresses_;  // parallel to the workload's tensors
  std::vector<Block> blocks_;
  int64_t output_period_ = 0;  // bytes of the repeated data
  bool is_aliased_ = false;
  bool ready_ = false;
};

// Two buffers for the copy that everything is compared with.
class CopyBuffers {
 public:
  CopyBuffers(Machine& machine, int64_t bytes) : machine_(machine) {
    for (void*& address : addresses_) {
      address = machine.allocate(bytes);
      if (address != nullptr) machine.fill(address, 0x3C, bytes);
    }
  }
  CopyBuffers(const CopyBuffers&) = delete;
  CopyBuffers& operator=(const CopyBuffers&) = delete;
  ~CopyBuffers() {
    for (void* address : addresses_) {
      if (address != nullptr) machine_.release(address);
    }
  }
  bool ready() const { return addresses_[0] != nullptr && addresses_[1] != nullptr; }
  void* from() const { return addresses_[0]; }
  void* to() const { return addresses_[1]; }

 private:
  Machine& machine_;
  void* addresses_[2] = {};
};

Launch launch_of(const oddtile_implementation& which, const oddtile_problem& problem, int32_t id,
                 const LongBuffers& buffers, void* stream) {
  return [=, &which, &buffers] {
    buffers.allow();
    return problem.kernel == oddtile_kernel_softmax
               ? which.softmax(&problem.softmax, id, nullptr, stream)
               : which.vector_add(&problem.vector_add, id, nullptr, stream);
  };
}

void* output_of(const oddtile_problem& problem) {
  const bool is_softmax = problem.kernel == oddtile_kernel_softmax;
  const auto* first =
      static_cast<const std::byte*>(is_softmax ? problem.softmax.y : problem.vector_add.out);
  return const_cast<std::byte*>(first);
}

std::vector<int> shuffled(int count, Random& random) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(uint32_t(i) + 1)]);
  return order;
}

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
    const std::vector<double> got = timer.round(now, shuffled(int(now.size()), random));
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

TunedPoint tune(const Case& subject, const oddtile_implementation& which, Machine& machine,
                Timer& timer, const TuningOptions& options) {
  TunedPoint point;
  const int64_t length = length_of(subject);
  const auto stop = [&](const char* why) {
    point.problem = why;
    return point;
  };
  if (length == 0) return stop("only softmax and vector add are tuned");
  // Rows repeat in multiples of 64: then they also lie alike against lines of memory.
  int64_t made_length = std::clamp<int64_t>(options.elements_made / unit_of(subject), 1, length);
  if (made_length > 64) made_length = made_length / 64 * 64;
  Workload made = oracles::materialise(with_length(subject, made_length), oracles::Poison::nan);
  redraw_mask(made, options);
  point.bytes = int64_t(double(sector_bytes(made)) * double(length) / double(made_length));
  const LongBuffers buffers(made, length, machine, timer);
  const CopyBuffers copies(machine, point.bytes / 2 + 256);
  if (!buffers.ready() || !copies.ready()) return stop("the machine has no memory for it");
  const oddtile_problem problem = buffers.problem(made, length);

  std::vector<int32_t> ids = properties::configurations_of(which, problem);
  if (ids.empty()) return stop("the problem is not offered");
  if (options.preferred_only) ids.resize(1);
  const auto repeated = [&](const Launch& one) {
    return options.repeats > 1 ? timer.repeated(one, options.repeats) : one;
  };
  std::vector<Launch> launches = {
      repeated(timer.copying(copies.to(), copies.from(), point.bytes / 2))};
  for (int32_t id : ids) {
    launches.push_back(repeated(launch_of(which, problem, id, buffers, machine.stream())));
  }
  std::vector<bool> slow(launches.size(), false);
  const auto us = times_of(launches, timer, options.rounds, &slow);
  point.copy_us = quartiles(us[0]).median / options.repeats;
  const Case short_case = with_length(
      subject,
      std::min(length, unit_of(subject) == 1 ? options.rows_judged * 1000 : options.rows_judged));
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
    const Launch once = launch_of(which, problem, ids[i], buffers, machine.stream());
    if (repeats && !buffers.far_end_is_right(once, length / made_length, output_of(problem))) {
      one.verdict = "fail: the far end differs";
    }
    point.configurations.push_back(std::move(one));
  }
  std::stable_sort(point.configurations.begin(), point.configurations.end(),
                   [](const auto& a, const auto& b) { return a.us < b.us; });
  return point;
}

}  // namespace oddtile::reports
