#include "properties/arithmetic/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/bits.h"
#include "oracles/case/parallel.h"

namespace oddtile::properties {
namespace {

constexpr int64_t kOutputs = int64_t(Fragments::kRows) * Fragments::kColumns;
constexpr int64_t kBatch = 1 << 14;  // fragments in memory at once

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
  return lines;
}

int64_t agreement(const Rule& rule, const Fragments& fragments, const std::vector<float>& sums) {
  std::atomic<int64_t> agree = 0;
  oracles::parallel_for(
      fragments.count, 16, fragments.count * kOutputs * 16, [&](int64_t begin, int64_t end) {
        int64_t mine = 0;
        for (int64_t f = begin; f < end; ++f) {
          uint16_t columns[Fragments::kColumns][Fragments::kProducts];
          for (int column = 0; column < Fragments::kColumns; ++column)
            fragments.b_column(f, column, columns[column]);
          for (int row = 0; row < Fragments::kRows; ++row) {
            uint16_t a[Fragments::kProducts];
            fragments.a_row(f, row, a);
            for (int column = 0; column < Fragments::kColumns; ++column) {
              const auto at = size_t(Fragments::sum_index(f, row, column));
              const float want =
                  apply(rule, a, columns[column], fragments.addend[at], fragments.bfloat16);
              mine += std::bit_cast<uint32_t>(want) == std::bit_cast<uint32_t>(sums[at]);
            }
          }
        }
        agree += mine;
      });
  return agree;
}

std::vector<Rule> fitted_rules(const Fragments& fragments, const std::vector<float>& sums) {
  int64_t most = -1;
  std::vector<Rule> best;
  for (const Rule& rule : all_rules()) {
    const int64_t agree = agreement(rule, fragments, sums);
    if (agree > most) best.clear();
    if (agree >= most) best.push_back(rule);
    most = std::max(most, agree);
  }
  return best;
}

std::optional<oracles::MeasuredProduct> verify_products(Machine& machine, ProbeProduct product,
                                                        bool bfloat16, const Rule& rule,
                                                        int64_t fragments, Machine* simulator) {
  oracles::MeasuredProduct result;
  result.instruction = product == ProbeProduct::mma ? "mma.sync.m16n8k16" : "wgmma.m64n8k16";
  result.type = bfloat16 ? "bf16" : "fp16";
  Random random(bfloat16 ? 2 : 1);
  for (int64_t done = 0; done < fragments; done += kBatch) {
    const Fragments batch = random_fragments(bfloat16, std::min(kBatch, fragments - done),
                                             random.split(uint64_t(done)));
    const auto sums = multiply(machine, product, batch);
    if (!sums) return std::nullopt;
    result.outputs += batch.count * kOutputs;
    result.agree += agreement(rule, batch, *sums);
    if (simulator == nullptr) continue;
    const auto simulated = multiply(*simulator, ProbeProduct::mma, batch);
    if (!simulated) return std::nullopt;
    result.fragments += batch.count;
    for (int64_t f = 0; f < batch.count; ++f) {
      const auto same = [&](int64_t i) {
        return std::bit_cast<uint32_t>((*sums)[size_t(i)]) ==
               std::bit_cast<uint32_t>((*simulated)[size_t(i)]);
      };
      int64_t equal = 0;
      for (int64_t i = f * kOutputs; i < (f + 1) * kOutputs; ++i) equal += same(i);
      result.fragments_agree += equal == kOutputs;
    }
  }
  return result;
}

}  // namespace oddtile::properties
