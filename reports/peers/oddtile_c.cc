#include "reports/peers/oddtile_c.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "oracles/bounds/hardware.h"
#include "oracles/case/layout.h"
#include "oracles/case/text.h"
#include "oracles/judge/judge.h"
#include "properties/checks/checks.h"
#include "reports/measure/amounts.h"
#include "reports/measure/by_name.h"
#include "reports/measure/environment.h"
#include "reports/measure/timing.h"

namespace oddtile::reports {
namespace {

std::string& last_text() {
  static thread_local std::string text;
  return text;
}

// No exception may cross into C: it becomes a code and a line.
int32_t guarded(const std::function<int32_t()>& body) {
  try {
    return body();
  } catch (const WrongUse& wrong) {
    last_text() = wrong.what();
    return 2;
  } catch (const std::exception& broken) {
    last_text() = std::string("internal error: ") + broken.what();
    return 3;
  }
}

std::unique_ptr<Timer> timer_of(properties::Machine& machine) {
  std::string reason;
  auto timer = make_timer(machine, &reason);
  if (timer == nullptr) throw WrongUse(reason);
  return timer;
}

// The case's tensors without bytes, if the first `count` of them are what the buffers hold.
oracles::Workload workload_for(const oracles::Case& subject, const oddtile_buffer* buffers,
                               int32_t count) {
  oracles::Workload workload = {subject, oracles::lay_out(subject)};
  if (count < 1 || size_t(count) > workload.tensors.size()) {
    throw WrongUse(fmt::format("{} buffers for {} tensors", count, workload.tensors.size()));
  }
  for (int32_t i = 0; i < count; ++i) {
    const oracles::Tensor& tensor = workload.tensors[size_t(i)];
    const int64_t size = oracles::element_bytes(tensor.element);
    const std::string_view name = oracles::role_name(tensor.role);
    const bool dense = tensor.alias_of < 0 && tensor.offset == 0 &&
                       tensor.capacity - tensor.count() == oracles::kSlackBytes / size;
    if (!dense) throw WrongUse(fmt::format("{} is not dense in this case", name));
    if (buffers[i].bytes != tensor.count() * size) {
      throw WrongUse(fmt::format("{} has {} bytes, its buffer {}", name, tensor.count() * size,
                                 buffers[i].bytes));
    }
  }
  return workload;
}

// What the harness would have read back: the tensor, and slack after it.
std::vector<std::byte> bytes_of(const oracles::Tensor& tensor, const oddtile_buffer& buffer) {
  std::vector<std::byte> bytes(size_t(tensor.capacity * oracles::element_bytes(tensor.element)));
  std::memcpy(bytes.data(), buffer.data, size_t(buffer.bytes));
  return bytes;
}

void make_inputs(const char* case_text, const oddtile_buffer* buffers, int32_t count) {
  const oracles::Case subject = case_of(case_text);
  workload_for(subject, buffers, count);
  const oracles::Workload made = oracles::materialise(subject, oracles::Poison::zero);
  for (int32_t i = 0; i < count; ++i) {
    const oracles::Tensor& tensor = made.tensors[size_t(i)];
    if (tensor.is_output) throw WrongUse("an output is not made");
    std::memcpy(buffers[i].data, tensor.bytes.data(), size_t(buffers[i].bytes));
  }
}

ErrorEntry judge_buffers(const char* case_text, const oddtile_profile& profile,
                         const oddtile_buffer* buffers, int32_t count, int64_t rows) {
  const oracles::Case subject = case_of(case_text);
  oracles::Workload workload = workload_for(subject, buffers, count);
  if (size_t(count) != workload.tensors.size()) throw WrongUse("judging needs every tensor");
  const auto* add = std::get_if<oracles::VectorAddCase>(&subject.problem);
  if (add != nullptr && add->mask != oracles::MaskKind::none) {
    throw WrongUse("what masked elements held before is not known here");
  }
  std::vector<std::vector<std::byte>> outputs(workload.tensors.size());
  for (size_t i = 0; i < workload.tensors.size(); ++i) {
    oracles::Tensor& tensor = workload.tensors[i];
    (tensor.is_output ? outputs[i] : tensor.bytes) = bytes_of(tensor, buffers[i]);
  }
  const properties::Machine* cuda = properties::cuda_machine();
  const oddtile_profile sharp =
      oracles::sharpened(profile, cuda == nullptr ? nullptr : cuda->hardware());
  const oracles::Judgement judgement =
      oracles::judge(workload, outputs, sharp, {.rows_at_most = rows, .seed = 1});
  ErrorEntry entry = judged_entry(subject, judgement);
  entry.machine = "cuda";
  entry.implementation = profile.name;
  if (judgement.verdict == oracles::Verdict::fail) {
    entry.broken = judgement.explanation.substr(0, judgement.explanation.find('\n'));
  }
  return entry;
}

int32_t time_tables(const char* case_text, std::span<const Contender> contenders,
                    const char* baseline, int32_t rounds) {
  properties::Machine& machine = machine_named("cuda");
  const std::unique_ptr<Timer> timer = timer_of(machine);
  const oracles::Case subject = case_of(case_text);
  const TimingPlan plan = {.rounds = rounds, .baseline = baseline};
  Record record;
  record.timings =
      time_point({subject, edge_case(subject)}, contenders, machine, *timer, plan, &record.skips);
  last_text() = to_json(record);
  return record.timings.empty() ? 1 : 0;
}

}  // namespace
}  // namespace oddtile::reports

using namespace oddtile;
using namespace oddtile::reports;

const oddtile_implementation* oddtile_table(const char* machine, const char* name) {
  const oddtile_implementation* found = nullptr;
  guarded([&] {
    found = &implementation_named(name, machine_named(machine));
    return 0;
  });
  return found;
}

const oddtile_implementation* oddtile_copies(const char* machine) {
  const oddtile_implementation* found = nullptr;
  guarded([&] {
    found = machine_named(machine).copies();
    return 0;
  });
  return found;
}

const oddtile_implementation* oddtile_plugin(uint32_t abi_version) {
  if (abi_version == ODDTILE_ABI_VERSION) return oddtile_table("cuda", "fused");
  last_text() =
      fmt::format("it has version {} of the table, not {}", ODDTILE_ABI_VERSION, abi_version);
  return nullptr;
}

const char* oddtile_text(void) {
  return last_text().c_str();
}

int32_t oddtile_environment(void) {
  return guarded([] {
    Record record;
    record.environment = environment();
    if (properties::Machine* machine = properties::cuda_machine()) {
      const std::unique_ptr<Timer> timer = timer_of(*machine);
      std::string reason;
      record.ceilings.copy_gb_s = timer->copy_rate(int64_t(1) << 30, 15);
      record.ceilings.matmul_bf16_tflop_s = timer->matmul_rate(8192, 15, &reason);
    }
    last_text() = to_json(record);
    return 0;
  });
}

int32_t oddtile_check(const char* machine, const char* case_text,
                      const oddtile_implementation* table) {
  return guarded([&] {
    properties::Machine& where = machine_named(machine);
    const oracles::Case subject = case_of(case_text);
    const properties::CheckResult result = properties::check_case(subject, *table, where);
    if (!result.offered) throw WrongUse(std::string(table->name) + " does not offer this problem");
    last_text() = to_json(error_entry(subject, *table, where, result));
    return result.verdict == oracles::Verdict::fail ? 1 : 0;
  });
}

int32_t oddtile_time(const char* case_text, const oddtile_implementation* const* tables,
                     const oddtile_deliver* delivers, int32_t count, const char* baseline,
                     int32_t rounds) {
  return guarded([&] {
    std::vector<Contender> contenders;
    for (int32_t i = 0; i < count; ++i) {
      const std::string name = tables[i]->name;
      Contender contender{.table = tables[i], .peer = name != "fused" && name != "eager"};
      if (delivers[i] != nullptr) contender.deliver = delivers[i];
      contenders.push_back(std::move(contender));
    }
    return time_tables(case_text, contenders, baseline, rounds);
  });
}

int32_t oddtile_make(const char* case_text, const oddtile_buffer* buffers, int32_t count) {
  return guarded([&] {
    make_inputs(case_text, buffers, count);
    return 0;
  });
}

int32_t oddtile_judge(const char* case_text, const oddtile_profile* profile,
                      const oddtile_buffer* buffers, int32_t count, int64_t rows) {
  return guarded([&] {
    const ErrorEntry entry = judge_buffers(case_text, *profile, buffers, count, rows);
    last_text() = to_json(entry);
    return entry.verdict == "fail" ? 1 : 0;
  });
}
