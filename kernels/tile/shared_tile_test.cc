// The chunk permutation: a bijection, and free of bank conflicts for ldmatrix.
#include "kernels/tile/shared_tile.cuh"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/base/bits.h"

namespace oddtile::sim {
namespace {

template <int columns>
struct Width {
  static constexpr int kColumns = columns;
};

template <class W>
class SharedTileLayout : public testing::Test {};
using Widths = testing::Types<Width<32>, Width<64>, Width<96>, Width<128>, Width<192>, Width<256>>;
TYPED_TEST_SUITE(SharedTileLayout, Widths);

TYPED_TEST(SharedTileLayout, every_chunk_has_its_own_place) {
  constexpr int kColumns = TypeParam::kColumns;
  std::vector<Half> memory(16 * kColumns);
  const SharedTile<Half, 16, kColumns> tile = {memory.data()};
  std::set<Half*> places;
  for (int row = 0; row < 16; ++row) {
    for (int chunk = 0; chunk < kColumns / 8; ++chunk) {
      Half* const place = tile.chunk(row, chunk);
      EXPECT_EQ((place - memory.data()) / kColumns, row) << "a chunk stays in its row";
      places.insert(place);
    }
  }
  EXPECT_EQ(places.size(), size_t(16 * kColumns / 8));
}

TYPED_TEST(SharedTileLayout, eight_rows_at_one_column_lie_in_eight_bank_groups) {
  constexpr int kColumns = TypeParam::kColumns;
  std::vector<Half> memory(16 * kColumns);
  const SharedTile<Half, 16, kColumns> tile = {memory.data()};
  for (int first_row = 0; first_row < 16; first_row += 8) {
    for (int chunk = 0; chunk < kColumns / 8; ++chunk) {
      std::set<int64_t> groups;  // of 16 bytes within the 128 bytes that all banks hold
      for (int row = first_row; row < first_row + 8; ++row) {
        groups.insert((tile.chunk(row, chunk) - memory.data()) * 2 / 16 % 8);
      }
      EXPECT_EQ(groups.size(), 8u) << "chunk " << chunk;
    }
  }
}

}  // namespace
}  // namespace oddtile::sim
