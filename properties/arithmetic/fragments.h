// Operands of 16x8x16 products on the host, in the order in which the lanes of a warp hold them,
// and a machine that multiplies them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/probe/probe.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

struct Fragments {
  static constexpr int kRows = 16, kColumns = 8, kProducts = 16, kLanes = 32;

  bool bfloat16;
  int64_t count;
  std::vector<uint32_t> a, b;  // two elements a word
  std::vector<float> addend;

  Fragments(bool in_bfloat16, int64_t fragments);
  void set_a(int64_t fragment, int row, int k, uint16_t bits);
  void set_b(int64_t fragment, int k, int column, uint16_t bits);
  void a_row(int64_t fragment, int row, uint16_t (&out)[kProducts]) const;
  void b_column(int64_t fragment, int column, uint16_t (&out)[kProducts]) const;
  // Where element (row, column) of a fragment's addend and sum lies.
  static int64_t sum_index(int64_t fragment, int row, int column);
};

// Operands as kernels meet them and beyond: exponents spread by 0 to 20 powers of two, zeros,
// subnormals, pairs of products that cancel, addends of any size against the products. Every
// operand and sum is finite.
Fragments random_fragments(bool bfloat16, int64_t count, Random random);

// Output (0, 0) of the first fragments, in bf16, becomes 2^-149 - 2^-k: k is 150 in the first one
// and one more in each. Where alignment has a floor shows there, and in one of 20 million random
// outputs.
void set_small_differences(Fragments& fragments);

// The sums; nothing where the machine does not offer the instruction.
std::optional<std::vector<float>> multiply(Machine& machine, ProbeProduct product,
                                           const Fragments& fragments);

// The function of each argument; nothing where the machine does not offer it.
std::optional<std::vector<uint32_t>> evaluate(Machine& machine, ProbeFunction function,
                                              const std::vector<uint32_t>& arguments);
std::optional<std::vector<double>> reference(Machine& machine, ProbeFunction function,
                                             const std::vector<uint32_t>& arguments);
std::optional<ProbeSweep> sweep(Machine& machine, ProbeFunction function);

}  // namespace oddtile::properties
