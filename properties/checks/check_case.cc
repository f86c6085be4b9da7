#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "properties/checks/checks.h"
#include "properties/checks/report.h"
#include "properties/harness/buffers.h"

namespace oddtile::properties {
namespace {

using oracles::Poison;
using oracles::Tensor;
using oracles::Workload;

// What one run leaves to itself, and the next one changes, without a right to an influence.
struct Setting {
  Poison poison;
  uint64_t schedule;
  uint8_t surroundings;
};

Setting first_setting(const oracles::Case& subject) {
  return {Poison::nan, subject.schedule, 0xFF};
}

// 0x7B7B is a large finite number in all three element types.
Setting second_setting(const oracles::Case& subject) {
  return {Poison::large, subject.schedule ^ 0x9E3779B97F4A7C15u, 0x7B};
}

struct Run {
  Workload workload;
  Outcome outcome;
};

// What is checked, and how many launches that has taken so far.
struct Bench {
  const oracles::Case& subject;
  const oddtile_implementation& which;
  Machine& machine;
  int64_t launches = 0;

  Run run(const Setting& setting) {
    return run({oracles::materialise(subject, setting.poison), {}}, setting);
  }
  // The data of an earlier run, with other poison.
  Run run_again(const Run& earlier, const Setting& setting) {
    return run({oracles::with_poison(earlier.workload, setting.poison), {}}, setting);
  }

 private:
  Run run(Run result, const Setting& setting) {
    const Outcome& outcome = result.outcome =
        run_workload(result.workload, which, machine, setting.schedule, setting.surroundings);
    launches += machine.counts() ? outcome.counters.launches : int64_t(outcome.launched);
    return result;
  }
};

// Visits every output: tensor, its index in the workload.
template <class Visit>
void for_each_output(const Workload& workload, Visit&& visit) {
  for (int i = 0; i < int(workload.tensors.size()); ++i) {
    if (workload.tensors[i].is_output) visit(workload.tensors[i], i);
  }
}

const std::vector<std::byte>& prefill(const Workload& workload, int tensor) {
  const int alias = workload.tensors[tensor].alias_of;
  return workload.tensors[alias >= 0 ? alias : tensor].bytes;
}

// The bytes of one output tensor, before and after each of two runs.
struct Bytes {
  const std::byte* before_one;
  const std::byte* before_two;
  const std::byte* after_one;
  const std::byte* after_two;
};

// Whether some element of [first, first + bytes) keeps its prefill, element by element of `Bits`.
template <class Bits>
bool keeps_prefill(const Bytes& of, int64_t first, int64_t bytes) {
  const auto read = [](const std::byte* from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(Bits));
    return bits;
  };
  bool found = false;
  for (int64_t at = first; at < first + bytes; at += int64_t(sizeof(Bits))) {
    const Bits one = read(of.before_one + at), two = read(of.before_two + at);
    found |= one != two && one == read(of.after_one + at) && two == read(of.after_two + at);
  }
  return found;
}

// Elements that hold their prefill after both runs although the prefills differ. (Where they do not
// differ, as in masked elements of vector add, keeping the bits may be the contract: for the
// judge.) Whole runs of elements first: their texts are for the rare case.
Broken unwritten(const Run& one, const Run& two) {
  Broken broken{"everything_inside_is_written"};
  for_each_output(one.workload, [&](const Tensor& tensor, int i) {
    const int64_t size = oracles::element_bytes(tensor.element);
    const Bytes of = {prefill(one.workload, i).data(), prefill(two.workload, i).data(),
                      one.outcome.buffers[i].data(), two.outcome.buffers[i].data()};
    for_each_logical_run(tensor, [&](int64_t first, int64_t bytes) {
      if (!(size == 2 ? keeps_prefill<uint16_t>(of, first, bytes)
                      : keeps_prefill<uint32_t>(of, first, bytes))) {
        return;
      }
      for (int64_t at = first; at < first + bytes; at += size) {
        if (std::memcmp(of.before_one + at, of.before_two + at, size) == 0) continue;
        if (std::memcmp(of.before_one + at, of.after_one + at, size) != 0) continue;
        if (std::memcmp(of.before_two + at, of.after_two + at, size) != 0) continue;
        broken.add([&] { return element_text(tensor, at, size) + " is never written"; });
      }
    });
  });
  return broken;
}

Broken difference(const char* property, const Run& one, const Run& two) {
  Broken broken{property};
  if (two.outcome.buffers.empty()) {
    broken.add([] { return "the second run did not even finish"; });
    return broken;
  }
  for_each_output(one.workload, [&](const Tensor& tensor, int i) {
    const std::vector<std::byte>& a = one.outcome.buffers[i];
    const std::vector<std::byte>& b = two.outcome.buffers[i];
    const int64_t size = oracles::element_bytes(tensor.element);
    for_each_difference(tensor, a, b, [&](int64_t at) {
      broken.add([&] {
        return fmt::format("{}: {} in one run, {} in the other", element_text(tensor, at, size),
                           oracles::value_at(a, tensor.element, at / size),
                           oracles::value_at(b, tensor.element, at / size));
      });
    });
  });
  return broken;
}

// Two runs in different settings gave different bits: which of the things that changed did it?
Broken explain_difference(Bench* bench, const Run& one, const Run& two) {
  Setting setting = first_setting(bench->subject);
  Broken repeated = difference("same_bits_on_repeated_runs", one, bench->run(setting));
  if (!repeated.holds()) return repeated;
  setting.schedule = second_setting(bench->subject).schedule;
  Broken scheduled = difference("same_bits_under_every_schedule", one, bench->run(setting));
  if (!scheduled.holds()) return scheduled;
  return difference("poison_has_no_influence", one, two);
}

// Breaches that a run shows by itself; true when its outputs are worth looking at.
bool examine_run(const Run& run, const oddtile_implementation& which, const Machine& machine,
                 std::vector<Broken>* broken) {
  const Outcome& outcome = run.outcome;
  const bool read_back = !outcome.buffers.empty() && !machine.lost();
  Broken launches{"launches"};
  if (outcome.status != oddtile_ok) {
    launches.add([&] {
      return fmt::format("status {}: {}", int(outcome.status), which.status_text(outcome.status));
    });
  }
  Broken hazards{"no_hazard"};
  for (const Hazard& hazard : outcome.hazards) hazards.add([&] { return hazard.text; });
  Broken outside{"nothing_outside_is_written"};
  for (const std::string& violation : outcome.violations) {
    (read_back ? outside : launches).add([&] { return violation; });
  }
  for (Broken* item : {&launches, &hazards, &outside}) {
    if (!item->holds()) broken->push_back(std::move(*item));
  }
  return outcome.status == oddtile_ok && read_back;
}

Broken out_of_bound(const oracles::Judgement& judgement) {
  Broken broken{"within_bound"};
  const std::string& text = judgement.explanation;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    broken.add([&] { return text.substr(begin, end - begin); });
    begin = end + 1;
  }
  return broken;
}

// Judges the first run and compares it with a second one.
void examine_outputs(Bench* bench, const Run& one, const oracles::Sampling& sampling,
                     oracles::Judgement* judgement, std::vector<Broken>* broken) {
  *judgement = oracles::judge(one.workload, one.outcome.buffers, one.outcome.profile, sampling);
  if (judgement->verdict == oracles::Verdict::fail) broken->push_back(out_of_bound(*judgement));

  const Run two = bench->run_again(one, second_setting(bench->subject));
  std::vector<Broken> second;
  if (examine_run(two, bench->which, bench->machine, &second)) {
    Broken holes = unwritten(one, two);
    if (!holes.holds()) {
      broken->push_back(std::move(holes));
    } else if (!difference("", one, two).holds()) {
      broken->push_back(explain_difference(bench, one, two));
    }
  }
  // What the second run shows by itself adds nothing when the first has shown it already.
  if (broken->empty()) *broken = std::move(second);
}

}  // namespace

CheckResult check_case(const oracles::Case& subject, const oddtile_implementation& which,
                       Machine& machine, const oracles::Sampling& sampling) {
  CheckResult result;
  Bench bench{subject, which, machine};
  const Run one = bench.run(first_setting(subject));
  result.counters = one.outcome.counters;
  result.profile = one.outcome.profile;
  if (one.outcome.configuration < 0 && one.outcome.violations.empty()) {
    result.offered = false;
    result.verdict = oracles::Verdict::vacuous;
    return result;
  }
  std::vector<Broken> broken;
  if (examine_run(one, which, machine, &broken)) {
    examine_outputs(&bench, one, sampling, &result.judgement, &broken);
  }
  result.launches = bench.launches;
  if (broken.empty()) {
    result.verdict = result.judgement.verdict;
    return result;
  }
  result.verdict = oracles::Verdict::fail;
  result.broken = broken.front().property;
  result.report = failure_report(subject, which, machine, one.outcome, broken);
  return result;
}

}  // namespace oddtile::properties
