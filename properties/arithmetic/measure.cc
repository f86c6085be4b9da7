#include "properties/arithmetic/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/arithmetic/functions.h"
#include "properties/arithmetic/products.h"

namespace oddtile::properties {
namespace {

using Say = std::function<void(const std::string&)>;

constexpr int64_t kFitFragments = 128;
constexpr int64_t kArguments = 1000000;

struct Unit {
  ProbeProduct product;
  bool bfloat16;
  const char* name;
};
constexpr Unit kUnits[] = {{ProbeProduct::mma, false, "mma.sync fp16"},
                           {ProbeProduct::mma, true, "mma.sync bf16"},
                           {ProbeProduct::wgmma, false, "wgmma fp16"},
                           {ProbeProduct::wgmma, true, "wgmma bf16"}};

// The rules that fit every unit; empty where none does or no unit is there.
std::vector<Rule> find_rules(Machine& machine, const Say& say) {
  std::vector<Rule> common = all_rules();
  bool offered = false;
  for (const Unit& unit : kUnits) {
    const std::vector<std::string> facts = product_facts(machine, unit.product, unit.bfloat16);
    if (facts.empty()) {
      say(fmt::format("{}: not offered", unit.name));
      continue;
    }
    for (const std::string& line : facts) say(fmt::format("{}: {}", unit.name, line));
    const Fragments fragments = random_fragments(unit.bfloat16, kFitFragments, Random(9));
    const auto sums = multiply(machine, unit.product, fragments);
    if (!sums) continue;
    offered = true;
    const std::vector<Rule> fitted = fitted_rules(fragments, *sums);
    for (const Rule& rule : fitted)
      say(fmt::format("{}: {} of {} outputs fit {}", unit.name, agreement(rule, fragments, *sums),
                      sums->size(), rule.text()));
    std::erase_if(common, [&](const Rule& rule) {
      return std::find(fitted.begin(), fitted.end(), rule) == fitted.end();
    });
  }
  if (!offered) common.clear();
  if (common.empty()) say("no one rule fits every instruction");
  return common;
}

bool verify_units(Machine& machine, Machine& simulator, const Rule& rule, int64_t fragments,
                  const Say& say, oracles::HardwareProfile* profile) {
  bool equal = true;
  for (const Unit& unit : kUnits) {
    if (product_facts(machine, unit.product, unit.bfloat16).empty()) continue;
    const auto verified =
        verify_products(machine, unit.product, unit.bfloat16, rule, fragments, &simulator);
    if (!verified) return false;
    say(fmt::format("{}: {} of {} outputs as the rule says; simulator equal on {} of {} fragments",
                    unit.name, verified->agree, verified->outputs, verified->fragments_agree,
                    verified->fragments));
    profile->products.push_back(*verified);
    equal = equal && verified->agree == verified->outputs &&
            verified->fragments_agree == verified->fragments;
  }
  return equal;
}

bool measure_functions(Machine& machine, const Say& say, oracles::HardwareProfile* profile) {
  bool sound = true;
  const auto measure = [&](ProbeFunction function, oracles::MeasuredFunction* into) {
    const auto report = measure_function(machine, function);
    if (!report) {
      sound = false;
      return;
    }
    *into = report->measured;
    sound = sound && report->sound;
    say(fmt::format("{}: relative {:.9g} = 2^{:.3f} at 0x{:08x}, {:.6g} ulp at 0x{:08x}{}",
                    into->instruction, into->relative_error, std::log2(into->relative_error),
                    into->relative_at, into->ulp, into->ulp_at,
                    into->absolute_error == 0
                        ? std::string()
                        : fmt::format(", absolute in (0.5, 2) {:.9g} = 2^{:.3f} at 0x{:08x}",
                                      into->absolute_error, std::log2(into->absolute_error),
                                      into->absolute_at)));
    say(fmt::format("{}: {}", into->instruction, report->text));
  };
  measure(ProbeFunction::exp2, &profile->exp2);
  measure(ProbeFunction::log2, &profile->log2);
  measure(ProbeFunction::reciprocal, &profile->reciprocal);
  measure(ProbeFunction::divide, &profile->division);
  return sound;
}

}  // namespace

MeasuredMachine measure_machine(Machine& machine, Machine& simulator, int64_t fragments,
                                const Say& say) {
  MeasuredMachine result;
  oracles::HardwareProfile& profile = result.profile;
  result.complete = measure_functions(machine, say, &profile);
  const std::vector<Rule> rules = find_rules(machine, say);
  if (rules.empty()) {
    result.complete = false;
    return result;
  }
  const Rule& rule = rules.front();
  profile.mma_products = rule.group;
  profile.mma_fraction_bits = rule.fraction_bits;
  profile.mma_rounds = rule.aligns_to_nearest && rule.result_to_nearest;
  for (const ProbeFunction function : {ProbeFunction::exp2, ProbeFunction::log2}) {
    const char* name = function == ProbeFunction::exp2 ? "exp2" : "log2";
    simulator.imitate(nullptr);
    const int64_t plain = same_results(machine, simulator, function, kArguments);
    simulator.imitate(&profile);
    const int64_t imitated = same_results(machine, simulator, function, kArguments);
    say(fmt::format("{}: simulator equal on {} of {} arguments in plain arithmetic, {} in this",
                    name, plain, kArguments, imitated));
  }
  if (!verify_units(machine, simulator, rule, fragments, say, &profile)) result.complete = false;
  simulator.imitate(nullptr);
  return result;
}

}  // namespace oddtile::properties
