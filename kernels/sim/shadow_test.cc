#include "kernels/sim/shadow.h"

#include <gtest/gtest.h>

namespace oddtile::simulator {
namespace {

TEST(ShadowRange, forgets_and_holds_ragged_ends) {
  ShadowRange range;
  range.reset(0x1008, 40);  // cells 0x1000 to 0x1020
  EXPECT_TRUE(range.contains(0x1008, 40));
  EXPECT_FALSE(range.contains(0x1007, 1));
  EXPECT_FALSE(range.contains(0x1008, 41));
  EXPECT_FALSE(range.contains(0x1030, 1));
  range.at(0x1000).records.push_back({});
  range.at(0x102F).records.push_back({});
  EXPECT_EQ(range.at(0x1008).records.size(), 1u);
  EXPECT_EQ(range.at(0x1010).records.size(), 0u);
  EXPECT_EQ(range.at(0x1020).records.size(), 1u);
  range.reset(0x1008, 40);
  EXPECT_EQ(range.at(0x1000).records.size(), 0u);
}

TEST(ShadowPages, forget) {
  ShadowPages pages;
  for (uintptr_t address = 0; address < 100 * 4096; address += 1024) {
    pages.at(address).records.push_back({});
  }
  EXPECT_EQ(pages.at(1024 + 15).records.size(), 1u);
  EXPECT_EQ(pages.at(1024 + 16).records.size(), 0u);
  pages.reset();
  EXPECT_EQ(pages.at(1024).records.size(), 0u);
}

}  // namespace
}  // namespace oddtile::simulator
