// The error of a machine's approximate functions over all arguments.
#pragma once

#include <optional>
#include <string>

#include "oracles/bounds/hardware.h"
#include "properties/arithmetic/fragments.h"

namespace oddtile::properties {

struct FunctionReport {
  oracles::MeasuredFunction measured;
  std::string text;  // one line more than the numbers: classes, roundings, subnormals
  // The device's double against long double here, at random arguments: the largest relative
  // difference, to be far below what is measured with it.
  double reference_error = 0;
  bool sound = false;  // nothing of a wrong class, and the reference holds
};

// Nothing where the machine cannot sweep.
std::optional<FunctionReport> measure_function(Machine& machine, ProbeFunction function);

// On how many of `count` random arguments of kernels (exp2: -126..0, log2: 1..2^20; half of them
// next to the integers) two machines give the same bits; -1 where one of them has no such probe.
// `examples`: a few arguments where they do not, with both results, as bits.
int64_t same_results(Machine& one, Machine& other, ProbeFunction function, int64_t count,
                     std::string* examples = nullptr);

// Results at the 2^23 floats from 2^exponent on, as bits.
std::optional<std::vector<uint32_t>> results_of_binade(Machine& machine, ProbeFunction function,
                                                       int exponent, bool negative);

}  // namespace oddtile::properties
