#include "reports/peers/oddtile_c.h"

#include <functional>

#include "properties/checks/checks.h"
#include "reports/measure/by_name.h"
#include "reports/measure/environment.h"
#include "reports/measure/timing.h"

namespace oddtile::reports {
namespace {

std::string& last_text() {
  static std::string text;
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
