#include "properties/arithmetic/products.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "oracles/case/parallel.h"
#include "properties/arithmetic/mismatches.h"

namespace oddtile::properties {
namespace {

constexpr int64_t kOutputs = int64_t(Fragments::kRows) * Fragments::kColumns;
constexpr int64_t kBatch = 1 << 14;  // fragments in memory at once

}  // namespace

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

namespace {

std::vector<Rule> best_of(const std::vector<Rule>& rules, const Fragments& fragments,
                          const std::vector<float>& sums) {
  int64_t most = -1;
  std::vector<Rule> best;
  for (const Rule& rule : rules) {
    const int64_t agree = agreement(rule, fragments, sums);
    if (agree > most) best.clear();
    if (agree >= most) best.push_back(rule);
    most = std::max(most, agree);
  }
  return best;
}

}  // namespace

std::vector<Rule> fitted_rules(const Fragments& fragments, const std::vector<float>& sums) {
  const std::vector<Rule> coarse = best_of(all_rules(), fragments, sums);
  if (!fragments.bfloat16) return coarse;  // no product is small enough to show more
  std::vector<Rule> refined;
  for (const Rule& rule : coarse)
    for (const Rule& one : small_number_rules(rule)) refined.push_back(one);
  return best_of(refined, fragments, sums);
}

std::optional<oracles::MeasuredProduct> verify_products(Machine& machine, ProbeProduct product,
                                                        bool bfloat16, const Rule& rule,
                                                        int64_t fragments, Machine* simulator,
                                                        Mismatches* mismatches) {
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
    const int64_t agree = agreement(rule, batch, *sums);
    result.agree += agree;
    if (mismatches != nullptr && agree != batch.count * kOutputs)
      mismatches->collect(rule, batch, *sums);
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
