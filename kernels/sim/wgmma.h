// Products of a warpgroup (wgmma): issued by four warps, done when all four have, in order;
// operands are read then, sums appear in the lanes' arrays when the lane's warp has waited for
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/base/matrix_descriptor.h"
#include "kernels/sim/asynchronous.h"
#include "kernels/sim/hopper_words.h"
#include "kernels/sim/race.h"

namespace oddtile::simulator {

// Shared address of element (index, k) of an operand: index is m of the left one, n of the right.
// Eight elements along the major index, from a multiple of 8 on, are adjacent.
uint32_t operand_address(MatrixDescriptor descriptor, Major major, int index, int k);
// Why no operand can start there; null when one can. The matrix's base offset is not modelled.
const char* descriptor_refusal(MatrixDescriptor descriptor);

// Calls visit(index, k) for the 16-byte chunks of an operand with `indices` rows (of
// m or n): `index` and `k` are those of the first of its eight elements.
template <class Visit>
void for_each_chunk(Major major, int first, int indices, Visit visit) {
  if (major == Major::k) {
    for (int index = first; index < first + indices; ++index) {
      for (int k = 0; k < 16; k += 8) visit(index, k);
    }
  } else {
    for (int k = 0; k < 16; ++k) {
      for (int index = first; index < first + indices; index += 8) visit(index, k);
    }
  }
}

inline constexpr int kWarpgroupWarps = 4;
inline constexpr int kGroupLanes = 32;  // of one of its warps

// The sums of one warp, 16 x columns, between the first product that needs them and their delivery.
// Meanwhile the lanes' own arrays hold kSumInFlight.
struct Accumulator {
  struct alignas(32) Tile {
    float at[16 * 8];
  };
  float* sum[kGroupLanes];
  int length = 0;
  int64_t last_product = 0;
  Site site;
  std::vector<Tile> tiles;  // eight columns each
};

struct Product {
  WgmmaOperands operands;  // of the first warp that issued it
  Site site;
  int issued = 0;  // warps
  bool executed = false;
  std::shared_ptr<Asynchronous> work;
  Accumulator* accumulator[kWarpgroupWarps] = {};
  uint32_t a[kWarpgroupWarps][4][kGroupLanes];
  const uint32_t* a_from[kWarpgroupWarps][kGroupLanes] = {};
};

class Warpgroup : public Waitable {
 public:
  struct WarpState {
    int64_t issued = 0;               // products
    int64_t retired = 0;              // delivered
    std::vector<int64_t> group_ends;  // products issued when the group was committed
    bool fenced = false;              // since the start, or the last wait
    std::vector<std::unique_ptr<Accumulator>> accumulators;
    Site last_site;
  };
  std::string state_text() const override;
  Product& product(int64_t number) { return products[size_t(number - first_product)]; }
  // Those that all four warps have issued.
  int64_t complete() const;
  void execute(sim::Machine::State& machine, int64_t end);  // all before number `end`
  void forget_retired();

  WarpState warps[kWarpgroupWarps];
  std::deque<Product> products;
  int64_t first_product = 0;  // number of products.front()
  int64_t executed = 0;
  Agent agent = 0;
};

}  // namespace oddtile::simulator
