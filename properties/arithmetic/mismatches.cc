#include "properties/arithmetic/mismatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace oddtile::properties {
namespace {

constexpr int kNothing = -1000;  // the exponent of a sum without products
constexpr size_t kKept = 16;
constexpr const char* kNames[] = {"expected subnormal",
                                  "got or expected 0",
                                  "products below 2^-126",
                                  "products below 2^-149",
                                  "a subnormal operand",
                                  "c subnormal",
                                  "c zero",
                                  "got or expected infinite",
                                  "signs differ"};

bool subnormal(float x) {
  return x != 0 && std::fabs(x) < 0x1p-126f;
}

struct Operand {
  bool zero, subnormal;
  int exponent;
};
Operand operand(uint16_t bits, bool bfloat16) {
  const int fraction = bfloat16 ? 7 : 10, bias = bfloat16 ? 127 : 15;
  const int field = (bits & 0x7FFF) >> fraction;
  const bool zero = (bits & 0x7FFF) == 0;
  return {zero, field == 0 && !zero, std::max(field, 1) - bias};
}

}  // namespace

Mismatches::Output Mismatches::look_at(const Rule& rule, const Fragments& fragments,
                                       int64_t fragment, int row, int column, float got) {
  Output out = {};
  fragments.a_row(fragment, row, out.a);
  fragments.b_column(fragment, column, out.b);
  out.c = fragments.addend[size_t(Fragments::sum_index(fragment, row, column))];
  out.got = got;
  out.expected = apply(rule, out.a, out.b, out.c, fragments.bfloat16);
  out.exponent = kNothing;
  bool any_subnormal = false;
  for (int k = 0; k < Fragments::kProducts; ++k) {
    const Operand a = operand(out.a[k], fragments.bfloat16);
    const Operand b = operand(out.b[k], fragments.bfloat16);
    any_subnormal = any_subnormal || a.subnormal || b.subnormal;
    if (!a.zero && !b.zero) out.exponent = std::max(out.exponent, a.exponent + b.exponent);
  }
  const bool traits[kTraits] = {subnormal(out.expected),
                                out.got == 0 || out.expected == 0,
                                out.exponent < -126,
                                out.exponent < -149,
                                any_subnormal,
                                subnormal(out.c),
                                out.c == 0,
                                !std::isfinite(out.got) || !std::isfinite(out.expected),
                                std::signbit(out.got) != std::signbit(out.expected)};
  for (int i = 0; i < kTraits; ++i) out.traits |= uint32_t(traits[i]) << i;
  return out;
}

// One of each kind first; then as they come.
void Mismatches::keep(const Output& output) {
  const auto alike = [&](const Output& kept) {
    return kept.traits == output.traits && kept.exponent / 4 == output.exponent / 4;
  };
  if (kept_.size() < kKept && std::none_of(kept_.begin(), kept_.end(), alike))
    kept_.push_back(output);
}

void Mismatches::collect(const Rule& rule, const Fragments& fragments,
                         const std::vector<float>& sums) {
  for (int64_t fragment = 0; fragment < fragments.count; ++fragment)
    for (int row = 0; row < Fragments::kRows; ++row)
      for (int column = 0; column < Fragments::kColumns; ++column) {
        const float got = sums[size_t(Fragments::sum_index(fragment, row, column))];
        const Output out = look_at(rule, fragments, fragment, row, column, got);
        if (std::bit_cast<uint32_t>(out.got) == std::bit_cast<uint32_t>(out.expected)) continue;
        ++count_;
        for (int i = 0; i < kTraits; ++i) with_trait_[size_t(i)] += out.traits >> i & 1;
        keep(out);
      }
}

std::vector<std::string> Mismatches::lines() const {
  if (count_ == 0) return {};
  std::string counts = fmt::format("{} differ:", count_);
  for (int i = 0; i < kTraits; ++i)
    counts += fmt::format("{} {} {}", i == 0 ? "" : ",", with_trait_[size_t(i)], kNames[i]);
  std::vector<std::string> lines = {counts};
  for (const Output& out : kept_) {
    std::string line = fmt::format("c {:08x} got {:08x} expected {:08x} top {} a:b",
                                   std::bit_cast<uint32_t>(out.c), std::bit_cast<uint32_t>(out.got),
                                   std::bit_cast<uint32_t>(out.expected), out.exponent);
    for (int k = 0; k < Fragments::kProducts; ++k)
      line += fmt::format(" {:04x}:{:04x}", out.a[k], out.b[k]);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace oddtile::properties
