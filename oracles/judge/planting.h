// For tests: cases from text, judged with one profile, and errors planted in single elements.
#pragma once

#include <cmath>
#include <string>

#include "kernels/base/assert.h"
#include "oracles/case/text.h"
#include "oracles/judge/fill.h"
#include "oracles/judge/judge.h"

namespace oddtile::oracles {

inline oddtile_profile fused_profile(oddtile_dtype dtype) {
  oddtile_profile profile = {};
  profile.tile_rows = profile.tile_columns = 16;
  profile.sum_lanes = 4;
  profile.mma_products = 16;
  profile.mma_fraction_bits = 25;
  profile.weight_dtype = dtype;
  profile.exp2_flushes = 1;
  profile.exp2_error = 0x1p-22;
  profile.log2_error = 0x1p-22;
  profile.division_error_u = 4;
  return profile;
}

inline Workload made(const std::string& text) {
  const auto parsed = parse(text);
  ODDTILE_ASSERT(std::holds_alternative<Case>(parsed));
  return materialise(std::get<Case>(parsed), Poison::nan);
}

inline Judgement judged(const Workload& workload, const Outputs& outputs) {
  const oddtile_dtype dtype =
      std::visit([](const auto& c) { return c.dtype; }, workload.subject.problem);
  return judge(workload, outputs, fused_profile(dtype));
}

// One element of an otherwise exact output replaced.
inline Verdict after_planting(const Workload& workload, Role role, int64_t index, double value) {
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, role, index, value);
  return judged(workload, outputs).verdict;
}

// The number of `element`'s type next to `value` in direction `up`.
inline double neighbour(Element element, double value, bool up) {
  const double step = element == Element::fp32   ? 0x1p-24
                      : element == Element::fp16 ? 0x1p-11
                                                 : 0x1p-8;
  const double moved = value + (up ? 1.5 : -1.5) * step * std::fabs(value);
  if (element == Element::fp32) return std::nextafterf(float(value), up ? INFINITY : -INFINITY);
  return element == Element::fp16 ? half_to_float(float_to_half(float(moved)))
                                  : bfloat16_to_float(float_to_bfloat16(float(moved)));
}

// The last representable number inside the bound on one side must pass, its neighbour must fail.
// Empty, or what went wrong.
inline std::string not_sharp(const Workload& workload, Role role, int64_t index, double exact,
                             double bound, bool up) {
  const Element element = workload.find(role)->element;
  Outputs outputs = exact_outputs(workload);
  double inside = get(outputs, workload, role, index);
  if (!(std::fabs(inside - exact) <= bound)) return "the rounded exact value is outside";
  for (;;) {
    const double next = neighbour(element, inside, up);
    if (!(std::fabs(next - exact) <= bound)) break;
    inside = next;
  }
  put(outputs, workload, role, index, inside);
  if (const Judgement in = judged(workload, outputs); in.verdict == Verdict::fail)
    return "fails inside: " + in.explanation;
  put(outputs, workload, role, index, neighbour(element, inside, up));
  const Judgement out = judged(workload, outputs);
  if (out.verdict != Verdict::fail) return "passes outside";
  int64_t failed = 0;
  for (const Quantity& quantity : out.quantities) failed += quantity.failed;
  if (failed != 1) return "fails elsewhere: " + out.explanation;
  const bool named = out.explanation.find("within_bound") != std::string::npos;
  return named ? "" : "names another law: " + out.explanation;
}

}  // namespace oddtile::oracles
