#include "properties/arithmetic/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/arithmetic/functions.h"
#include "properties/arithmetic/mismatches.h"
#include "properties/arithmetic/products.h"

namespace oddtile::properties {
namespace {

using Say = std::function<void(const std::string&)>;

constexpr int64_t kFitFragments = 512;
constexpr size_t kRulesShown = 6;
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

Rule without_small_numbers(Rule rule) {
  const Rule usual;
  rule.smallest_exponent = usual.smallest_exponent;
  rule.subnormal_addend = usual.subnormal_addend;
  rule.flushes_addends = usual.flushes_addends;
  rule.flushes_results = usual.flushes_results;
  return rule;
}

// The rules that fit every unit; empty where none does or no unit is there.
std::vector<Rule> find_rules(Machine& machine, int64_t fragment_count, const Say& say) {
  std::vector<Rule> common = all_rules(), in_full;  // without and with the smallest numbers
  bool offered = false, offered_in_full = false;
  for (const Unit& unit : kUnits) {
    const std::vector<std::string> facts = product_facts(machine, unit.product, unit.bfloat16);
    if (facts.empty()) {
      say(fmt::format("{}: not offered", unit.name));
      continue;
    }
    for (const std::string& line : facts) say(fmt::format("{}: {}", unit.name, line));
    Fragments fragments = random_fragments(unit.bfloat16, fragment_count, Random(9));
    if (unit.bfloat16) set_small_differences(fragments);
    const auto sums = multiply(machine, unit.product, fragments);
    if (!sums) continue;
    offered = true;
    const std::vector<Rule> fitted = fitted_rules(fragments, *sums);
    for (size_t i = 0; i < std::min(fitted.size(), kRulesShown); ++i) {
      const Rule& rule = fitted[i];
      say(fmt::format("{}: {} of {} outputs fit {}", unit.name, agreement(rule, fragments, *sums),
                      sums->size(), rule.text()));
    }
    if (fitted.size() > kRulesShown)
      say(fmt::format("{}: and {} more", unit.name, fitted.size() - kRulesShown));
    std::erase_if(common, [&](const Rule& rule) {
      return std::none_of(fitted.begin(), fitted.end(),
                          [&](const Rule& one) { return without_small_numbers(one) == rule; });
    });
    if (!unit.bfloat16) continue;
    if (!offered_in_full) in_full = fitted;
    offered_in_full = true;
    std::erase_if(in_full, [&](const Rule& rule) {
      return std::find(fitted.begin(), fitted.end(), rule) == fitted.end();
    });
  }
  std::erase_if(in_full, [&](const Rule& rule) {
    return std::find(common.begin(), common.end(), without_small_numbers(rule)) == common.end();
  });
  if (offered_in_full) common = in_full;
  if (!offered) common.clear();
  if (common.empty()) say("no one rule fits every instruction");
  return common;
}

bool verify_units(Machine& machine, Machine& simulator, const Rule& rule, int64_t fragments,
                  const Say& say, oracles::HardwareProfile* profile) {
  bool equal = true;
  for (const Unit& unit : kUnits) {
    if (product_facts(machine, unit.product, unit.bfloat16).empty()) continue;
    Mismatches mismatches;
    const auto verified = verify_products(machine, unit.product, unit.bfloat16, rule, fragments,
                                          &simulator, &mismatches);
    if (!verified) return false;
    say(fmt::format("{}: {} of {} outputs as the rule says; simulator equal on {} of {} fragments",
                    unit.name, verified->agree, verified->outputs, verified->fragments_agree,
                    verified->fragments));
    for (const std::string& line : mismatches.lines()) say(fmt::format("{}: {}", unit.name, line));
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

// The profile says that the simulator has a function's bits where it does on every argument.
void try_bits(ProbeFunction function, Machine& machine, Machine& simulator, const Say& say,
              oracles::HardwareProfile* profile) {
  const bool exp2 = function == ProbeFunction::exp2;
  bool& simulated = exp2 ? profile->exp2.simulated : profile->log2.simulated;
  simulated = true;
  simulator.imitate(profile);
  std::string examples;
  const int64_t same = same_results(machine, simulator, function, kArguments, &examples);
  simulated = same == kArguments;
  say(fmt::format("{}: the simulator's segments give {} of {} arguments bit for bit{}{}",
                  exp2 ? "exp2" : "log2", same, kArguments, examples.empty() ? "" : "; not",
                  examples));
}

}  // namespace

MeasuredMachine measure_machine(Machine& machine, Machine& simulator, int64_t fragments,
                                const Say& say, bool products_only) {
  MeasuredMachine result;
  oracles::HardwareProfile& profile = result.profile;
  result.complete = !products_only && measure_functions(machine, say, &profile);
  const std::vector<Rule> rules = find_rules(machine, std::min(fragments, kFitFragments), say);
  if (rules.empty()) {
    result.complete = false;
    return result;
  }
  const Rule& rule = rules.front();
  profile.mma_products = rule.group;
  profile.mma_fraction_bits = rule.fraction_bits;
  profile.mma_rounds = rule.aligns_to_nearest && rule.result_to_nearest;
  for (const ProbeFunction function : {ProbeFunction::exp2, ProbeFunction::log2}) {
    if (products_only) break;
    const char* name = function == ProbeFunction::exp2 ? "exp2" : "log2";
    simulator.imitate(nullptr);
    const int64_t plain = same_results(machine, simulator, function, kArguments);
    simulator.imitate(&profile);
    const int64_t imitated = same_results(machine, simulator, function, kArguments);
    say(fmt::format("{}: simulator equal on {} of {} arguments in plain arithmetic, {} in this",
                    name, plain, kArguments, imitated));
  }
  for (const ProbeFunction function : {ProbeFunction::exp2, ProbeFunction::log2})
    if (!products_only) try_bits(function, machine, simulator, say, &profile);
  simulator.imitate(&profile);
  if (!verify_units(machine, simulator, rule, fragments, say, &profile)) result.complete = false;
  simulator.imitate(nullptr);
  return result;
}

}  // namespace oddtile::properties
