// The accumulation of a machine's matrix unit: probed with chosen operands, described by the rule
// that fits, verified on random fragments bit for bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracles/bounds/hardware.h"
#include "properties/arithmetic/fragments.h"
#include "properties/arithmetic/mismatches.h"
#include "properties/arithmetic/rule.h"

namespace oddtile::properties {

// What chosen operands show, a line each: which positions meet in one group, how many bits are
// kept, the signs of zeros, what becomes of an overflow. Empty where there is no such instruction.
std::vector<std::string> product_facts(Machine& machine, ProbeProduct product, bool bfloat16);

// Of `fragments` (all outputs), how many the rule gives bit for bit.
int64_t agreement(const Rule& rule, const Fragments& fragments, const std::vector<float>& sums);

// The rules that give most outputs of random fragments: these fragments cannot tell them apart.
// (In bf16, whether zeros count hardly ever shows: their exponent is the smallest.)
std::vector<Rule> fitted_rules(const Fragments& fragments, const std::vector<float>& sums);

// Verifies `rule` on at least `fragments` random fragments; where `simulator` (in the arithmetic to
// be compared) is given, compares with it as well. Nothing where there is no such instruction.
std::optional<oracles::MeasuredProduct> verify_products(Machine& machine, ProbeProduct product,
                                                        bool bfloat16, const Rule& rule,
                                                        int64_t fragments, Machine* simulator,
                                                        Mismatches* mismatches = nullptr);

}  // namespace oddtile::properties
