// Which rows a tile has, for every width and gap: how they lie in shared memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];
constexpr int64_t kMany = 100000;
constexpr SoftmaxMachine kMachine = {227 * 1024, 16};

// Words in one bank, at most, that a warp reads for the first elements of its rows of a tile. Rows
// of 16 bits may start in the middle of a word.
int64_t words_in_a_bank(const SoftmaxConfiguration& it, int64_t bytes_apart, int64_t size) {
  std::set<int64_t> words;
  for (int64_t lane = 0; lane < 32; ++lane) {
    words.insert((lane / it.lanes * bytes_apart + lane % it.lanes * size + size % 4) / 4);
  }
  int64_t banks[32] = {};
  for (int64_t word : words) ++banks[word % 32];
  return *std::max_element(std::begin(banks), std::end(banks));
}

TEST(SoftmaxTiles, RowsOfAWarpLieInDifferentBanks) {
  int32_t met = 0, looked_at = 0;
  static uint8_t mask[16];
  for (int dtype = 0; dtype < 3; ++dtype) {
    for (int64_t columns = 1; columns <= 1024; ++columns) {
      for (int64_t gap = 0; gap < 8; ++gap) {
        const int64_t stride = columns + gap;
        const oddtile_softmax_problem p = {
            oddtile_dtype(dtype),        kMany, columns, memory + 32, stride, memory, stride,
            dtype == 0 ? mask : nullptr, stride};
        for (int32_t index : {57, 22, 23, 24, 58, 63, 64, 25, 26, 27, 28, 29}) {
          if (!softmax_admits(p, index, kMachine)) continue;
          const SoftmaxPlan plan = softmax_plan(p, index);
          const int64_t bytes = p.y_row_stride * (dtype == 0 ? 4 : 2);
          EXPECT_EQ(plan.tile_rows * bytes % 16, 0) << "a tile starts as the first one does";
          EXPECT_LE(plan.tile_rows * bytes + 14, 9 * 128 * 16) << "128 lanes bring 9 vectors each";
          const int32_t lanes = kSoftmaxConfigurations[index].lanes;
          EXPECT_EQ(plan.tile_rows % (32 / lanes * plan.rows_apart), 0);
          EXPECT_EQ(plan.tile_rows % (128 / lanes), 0) << "warps have as much to do";
          if (lanes == 32 || bytes % 64 == 0) continue;
          const int64_t most = words_in_a_bank(kSoftmaxConfigurations[index],
                                               plan.rows_apart * bytes, dtype == 0 ? 4 : 2);
          EXPECT_LE(most, 2) << columns << " " << gap;
          met += most > 1 ? 1 : 0;
          ++looked_at;
        }
      }
    }
  }
  EXPECT_LT(met, looked_at / 10) << "where a tile does not hold rows far enough apart";
}

}  // namespace
}  // namespace oddtile
