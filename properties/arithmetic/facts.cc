#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/base/bits.h"
#include "properties/arithmetic/products.h"

namespace oddtile::properties {
namespace {

uint16_t encode(double value, bool bfloat16) {
  return bfloat16 ? float_to_bfloat16(float(value)).bits : float_to_half(float(value)).bits;
}

// One dot product of chosen terms, at output (0, 0) of a fragment of its own.
class Probe {
 public:
  Probe(Machine& machine, ProbeProduct product, bool bfloat16)
      : machine_(machine), product_(product), bfloat16_(bfloat16) {}

  struct Term {
    int k;
    double a, b;
  };
  // sign * 2^exponent as a product of two powers of two.
  static Term power(int k, int exponent, double sign = 1) {
    const int half = exponent / 2;
    return {k, sign * std::ldexp(1.0, half), std::ldexp(1.0, exponent - half)};
  }
  size_t add(const std::vector<Term>& terms, float addend = 0) {
    tests_.push_back({terms, addend});
    return tests_.size() - 1;
  }
  bool run() {
    Fragments fragments(bfloat16_, int64_t(tests_.size()));
    for (size_t i = 0; i < tests_.size(); ++i) {
      for (const Term& term : tests_[i].terms) {
        fragments.set_a(int64_t(i), 0, term.k, encode(term.a, bfloat16_));
        fragments.set_b(int64_t(i), term.k, 0, encode(term.b, bfloat16_));
      }
      fragments.addend[size_t(Fragments::sum_index(int64_t(i), 0, 0))] = tests_[i].addend;
    }
    const auto sums = multiply(machine_, product_, fragments);
    if (!sums) return false;
    for (size_t i = 0; i < tests_.size(); ++i)
      results_.push_back((*sums)[size_t(Fragments::sum_index(int64_t(i), 0, 0))]);
    return true;
  }
  float operator[](size_t test) const { return results_[test]; }

 private:
  struct Test {
    std::vector<Term> terms;
    float addend;
  };
  Machine& machine_;
  ProbeProduct product_;
  bool bfloat16_;
  std::vector<Test> tests_;
  std::vector<float> results_;
};

using Term = Probe::Term;

// Of -f + 1 + ..., the largest f at which the small term is still there; 0 for none.
int last_kept(const Probe& probe, const std::vector<size_t>& tests) {
  int last = 0;
  for (size_t i = 0; i < tests.size(); ++i)
    if (probe[tests[i]] != 0) last = int(i) + 1;
  return last;
}

struct Facts {
  Probe probe;
  int big, small;  // exponents of a large and of a tiny product
  std::vector<size_t> pairs, products, fractions, addends, zeros, overflow, halves;

  Facts(Machine& machine, ProbeProduct product, bool bfloat16)
      : probe(machine, product, bfloat16), big(bfloat16 ? 40 : 24), small(bfloat16 ? -40 : -20) {
    for (int i = 1; i < Fragments::kProducts; ++i)
      for (int j = 1; j < Fragments::kProducts; ++j)
        if (i != j)
          pairs.push_back(
              probe.add({Probe::power(0, big), Probe::power(i, big, -1), Probe::power(j, small)}));
    for (int f = 1; f <= 36; ++f) {
      const Term tiny = Probe::power(2, 8 - f);
      products.push_back(probe.add({Probe::power(0, 8), Probe::power(5, 8, -1), tiny}));
      fractions.push_back(probe.add({{0, 1.5 * 16, 1.5 * 16}, {5, -1.5 * 16, 1.5 * 16}, tiny}));
      addends.push_back(probe.add({Probe::power(5, 8, -1), tiny}, 256.0f));
    }
    zeros = {probe.add({}, -0.0f), probe.add({{0, -0.0, 1}}, -0.0f),
             probe.add({{0, 3, 5}, {9, -5, 3}}, -0.0f),
             probe.add({Probe::power(0, 8), Probe::power(5, 8, -1), Probe::power(2, -20, -1)})};
    constexpr float kMost = std::numeric_limits<float>::max();
    if (bfloat16)  // products of fp16 are too small to matter
      overflow = {probe.add({Probe::power(0, 120)}, kMost),
                  probe.add({Probe::power(0, 103)}, kMost)};
    // To nearest even these are 1 + 2^-22, 1 + 2^-23, -(1 + 2^-23); toward zero they stay.
    halves = {probe.add({Probe::power(0, 0)}, 0x1p-23f + 0x1p-24f),
              probe.add({Probe::power(0, 0)}, 0x1p-24f + 0x1p-25f),
              probe.add({Probe::power(0, 0, -1)}, -(0x1p-24f + 0x1p-25f))};
  }
};

// 2^-149 minus ever smaller products: truncated to a subnormal it is 0 as long as the small one is
// not cut away, whose last power gives the exponent that the alignment took.
std::string small_numbers(Machine& machine, ProbeProduct product) {
  constexpr int kFirst = 150, kLast = 200;
  Probe probe(machine, product, true);
  const double least = 0x1p-133;  // subnormal
  struct Line {
    const char* name;
    std::vector<Term> terms;
    float addend;
  };
  const std::vector<Line> lines = {
      {"product 2^-149", {Probe::power(3, -149)}, 0},
      {"product 2^-140", {Probe::power(3, -140)}, 0},
      {"product 2^-127", {Probe::power(3, -127)}, 0},
      {"product 2^-125", {Probe::power(3, -125)}, 0},
      {"product 2^-133 * 2^-16", {{3, least, 0x1p-16}}, 0},
      {"product 2^-133 * 2^6", {{3, least, 0x1p6}}, 0},
      {"addend 2^-149", {}, 0x1p-149f},
      {"addend 2^-127", {}, 0x1p-127f},
      {"addend 2^-126", {}, 0x1p-126f},
      {"product 2^-149, products 0 * 2^8", {Probe::power(3, -149), {4, 0, 256}}, 0},
      {"product 2^-149, addend -0", {Probe::power(3, -149)}, -0.0f}};
  std::vector<std::vector<size_t>> tests;
  for (const Line& line : lines) {
    tests.emplace_back();
    for (int k = kFirst; k <= kLast; ++k) {
      std::vector<Term> terms = line.terms;
      terms.push_back(Probe::power(9, -k, -1));
      tests.back().push_back(probe.add(terms, line.addend));
    }
  }
  const size_t below = probe.add({Probe::power(0, -149), Probe::power(1, -150)});
  const size_t nothing = probe.add({Probe::power(0, -150, -1)});
  const size_t kept = probe.add({{0, 1, 0}}, -0x1p-130f);
  if (!probe.run()) return {};
  std::string text = "minus 2^-k shows up to k:";
  for (size_t line = 0; line < lines.size(); ++line) {
    int last = 0;
    for (size_t i = 0; i < tests[line].size(); ++i)
      if (probe[tests[line][i]] != probe[tests[line].back()]) last = kFirst + int(i);
    text += fmt::format(" {} {};", lines[line].name, last);
  }
  return text + fmt::format(" 2^-149 + 2^-150 is {:a}, -2^-150 is {:+a}, addend -2^-130 is {:a}",
                            probe[below], probe[nothing], probe[kept]);
}

std::string large_numbers(Machine& machine, ProbeProduct product) {
  Probe probe(machine, product, true);
  const size_t sum = probe.add({Probe::power(0, 127), Probe::power(1, 127)});
  const size_t one = probe.add({Probe::power(0, 128)});
  const size_t back = probe.add({Probe::power(0, 128), Probe::power(1, 127, -1)});
  const size_t none = probe.add({Probe::power(0, 130), Probe::power(1, 130, -1)});
  const size_t far = probe.add({Probe::power(0, 250), Probe::power(1, 250, -1)});
  const size_t addend = probe.add({Probe::power(0, 128)}, -0x1p127f);
  if (!probe.run()) return {};
  return fmt::format(
      "2^127 + 2^127 is {}, 2^128 {}, 2^128 - 2^127 {:a}, 2^130 - 2^130 {}, 2^250 - 2^250 {}, "
      "2^128 with addend -2^127 {:a}",
      probe[sum], probe[one], probe[back], probe[none], probe[far], probe[addend]);
}

}  // namespace

std::vector<std::string> product_facts(Machine& machine, ProbeProduct product, bool bfloat16) {
  Facts facts(machine, product, bfloat16);
  const Probe& probe = facts.probe;
  if (!facts.probe.run() || std::isnan(probe[facts.zeros[0]])) return {};
  int kept = 0;
  for (size_t test : facts.pairs) kept += probe[test] != 0;
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "2^{0} - 2^{0} + 2^{1} at every pair of positions: the small one survives at {2} of {3}",
      facts.big, facts.small, kept, facts.pairs.size()));
  lines.push_back(
      fmt::format("last bit kept below the largest: product of powers {}, product 2.25 {}, addend "
                  "{}",
                  last_kept(probe, facts.products), last_kept(probe, facts.fractions),
                  last_kept(probe, facts.addends)));
  lines.push_back(fmt::format(
      "zeros: -0 + 0 is {:+}, -0 + -0 is {:+}, -0 + 15 - 15 is {:+}, a "
      "negative term cut away leaves {:+}",
      probe[facts.zeros[0]], probe[facts.zeros[1]], probe[facts.zeros[2]], probe[facts.zeros[3]]));
  if (!facts.overflow.empty())
    lines.push_back(fmt::format("largest float + 2^120 is {}, + half of its last bit {}",
                                probe[facts.overflow[0]], probe[facts.overflow[1]]));
  const auto units = [&](size_t test) { return (std::fabs(probe[test]) - 1.0) * 0x1p23; };
  lines.push_back(fmt::format("1 + 1.5, 0.75, -0.75 units of 2^-23 give {:g}, {:g}, {:g} units",
                              units(facts.halves[0]), units(facts.halves[1]),
                              units(facts.halves[2])));
  if (bfloat16) lines.push_back(small_numbers(machine, product));
  if (bfloat16) lines.push_back(large_numbers(machine, product));
  return lines;
}

}  // namespace oddtile::properties
