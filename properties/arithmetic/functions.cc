#include "properties/arithmetic/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace oddtile::properties {
namespace {

constexpr uint64_t kSpotChecks = 1 << 20;
// The CUDA library promises 2 ulp of double for exp2, 1 for log2, 0.5 for a quotient.
constexpr double kReferenceError = 0x1p-50;

const char* instruction_of(ProbeFunction function) {
  switch (function) {
    case ProbeFunction::exp2:
      return "ex2.approx.ftz.f32";
    case ProbeFunction::log2:
      return "lg2.approx.ftz.f32";
    case ProbeFunction::reciprocal:
      return "rcp.approx.ftz.f32";
    case ProbeFunction::divide:
      return "div.rn.f32";
  }
  return "?";
}

long double exact_of(ProbeFunction function, float x) {
  if (function == ProbeFunction::exp2) return std::exp2((long double)(x));
  if (function == ProbeFunction::log2) return std::log2((long double)(x));
  return 1.0L / (long double)(x);
}

struct Worst {
  double error;
  uint32_t at;
};
// The key's error was rounded up to float; 2^-22 of it covers the reference's own error as well.
Worst worst_of(uint64_t key) {
  return {double(std::bit_cast<float>(uint32_t(key >> 32))) * (1 + 0x1p-22), uint32_t(key)};
}

double reference_error_of(Machine& machine, ProbeFunction function) {
  Random random(3);
  std::vector<uint32_t> arguments;
  while (arguments.size() < kSpotChecks) {
    const auto bits = uint32_t(random.next());
    const long double exact = exact_of(function, std::bit_cast<float>(bits));
    // What a double holds with room: a long double goes beyond, where the reference is infinite.
    const long double size = std::fabs(exact);
    if (size > 0x1p-150L && size < 0x1p150L) arguments.push_back(bits);
  }
  const auto got = reference(machine, function, arguments);
  if (!got) return HUGE_VAL;
  long double worst = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const long double exact = exact_of(function, std::bit_cast<float>(arguments[i]));
    const long double error = std::fabs(((long double)((*got)[i]) - exact) / exact);
    if (!(error <= worst)) worst = error;
  }
  return double(worst);
}

std::vector<uint32_t> kernel_arguments(ProbeFunction function, int64_t count) {
  Random random(5);
  std::vector<uint32_t> arguments;
  for (int64_t i = 0; i < count; ++i) {
    float x = function == ProbeFunction::exp2
                  ? -126.0f * float(random.unit())
                  : std::ldexp(float(1 + random.unit()), int(random.below(20)));
    if (i % 2 == 0) x = std::round(x) + float(random.normal()) * 0x1p-6f;
    if (function == ProbeFunction::exp2) x = std::min(x, 0.0f);
    arguments.push_back(std::bit_cast<uint32_t>(x));
  }
  return arguments;
}

}  // namespace

std::optional<FunctionReport> measure_function(Machine& machine, ProbeFunction function) {
  const auto swept = sweep(machine, function);
  if (!swept) return std::nullopt;
  const ProbeSweep& s = *swept;
  FunctionReport report;
  oracles::MeasuredFunction& m = report.measured;
  m.instruction = instruction_of(function);
  const Worst relative = worst_of(s.relative), ulp = worst_of(s.ulp);
  m.relative_error = relative.error;
  m.relative_at = relative.at;
  m.ulp = ulp.error;
  m.ulp_at = ulp.at;
  if (function == ProbeFunction::log2) {
    m.absolute_error = worst_of(s.absolute).error;
    m.absolute_at = worst_of(s.absolute).at;
  }
  m.arguments = int64_t(s.arguments);
  m.not_monotone = int64_t(s.not_monotone);
  m.flushes_results = s.subnormal_results > 0 && s.subnormal_results_zero == s.subnormal_results;
  m.flushes_arguments =
      s.subnormal_arguments > 0 && s.subnormal_arguments_zero == s.subnormal_arguments;
  report.reference_error = reference_error_of(machine, function);
  report.sound = s.arguments > 0 && s.wrong_class == 0 && report.reference_error < kReferenceError;
  report.text = fmt::format(
      "{} of {} not the nearest float; {} of {} subnormal results are 0; {} of {} subnormal "
      "arguments count as 0; {} pairs out of order (0x{:08x}); {} of a wrong class (0x{:08x}); "
      "reference within {:.3g}",
      s.not_nearest, s.arguments, s.subnormal_results_zero, s.subnormal_results,
      s.subnormal_arguments_zero, s.subnormal_arguments, s.not_monotone, s.not_monotone_at,
      s.wrong_class, s.wrong_class_at, report.reference_error);
  return report;
}

int64_t same_results(Machine& one, Machine& other, ProbeFunction function, int64_t count,
                     std::string* examples) {
  constexpr int64_t kExamples = 6;
  const std::vector<uint32_t> arguments = kernel_arguments(function, count);
  const auto left = evaluate(one, function, arguments);
  const auto right = evaluate(other, function, arguments);
  if (!left || !right) return -1;
  int64_t same = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool equal = (*left)[i] == (*right)[i];
    if (!equal && examples != nullptr && int64_t(i) - same < kExamples)
      *examples += fmt::format(" {:08x}: {:08x}, {:08x};", arguments[i], (*left)[i], (*right)[i]);
    same += equal;
  }
  return same;
}

std::optional<std::vector<uint32_t>> results_of_binade(Machine& machine, ProbeFunction function,
                                                       int exponent, bool negative) {
  std::vector<uint32_t> arguments(1 << 23);
  const uint32_t first = uint32_t(exponent + 127) << 23 | uint32_t(negative) << 31;
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = first + uint32_t(i);
  return evaluate(machine, function, arguments);
}

}  // namespace oddtile::properties
