// What a softmax configuration declares of its sums: how many there are of a row, and how often one
// moves to another frame. The error bounds are too wide to show a number that is somewhat too good.
#include <gtest/gtest.h>

#include "kernels/softmax/parameters.h"
#include "kernels/softmax/softmax.cuh"

namespace oddtile {
namespace {

// Of rows of whole vectors that nobody touches.
oddtile_profile profile_of(oddtile_dtype dtype, int64_t columns, int32_t index) {
  const oddtile_softmax_problem p = {dtype,   3,
                                     columns, reinterpret_cast<const void*>(uintptr_t(1) << 32),
                                     columns, reinterpret_cast<void*>(uintptr_t(1) << 36),
                                     columns, nullptr,
                                     0};
  oddtile_profile profile = {};
  EXPECT_EQ(sim::softmax_describe(p, softmax_id(p, index), &profile), oddtile_ok) << index;
  return profile;
}

TEST(SoftmaxProfile, ALaneThatTakesElementsHasOneSum) {
  int32_t count = 0;
  for (int32_t index = 0; index < kSoftmaxCount; ++index) {
    const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
    if (it.form != SoftmaxForm::words) continue;
    ++count;
    const int32_t columns = it.lanes * it.vectors;
    const oddtile_profile profile = profile_of(oddtile_fp32, columns, index);
    EXPECT_EQ(profile.sum_lanes, it.lanes) << it.name;
    EXPECT_EQ(profile.tile_columns, columns) << it.name;
  }
  EXPECT_EQ(count, 9);
}

TEST(SoftmaxProfile, LanesOfAllBlocksOfACluster) {
  EXPECT_EQ(profile_of(oddtile_fp32, 4096, 65).sum_lanes, 128 * 4);
  EXPECT_EQ(profile_of(oddtile_fp32, 12288, 65).sum_lanes, 3 * 128 * 4);
  EXPECT_EQ(profile_of(oddtile_bf16, 24576, 65).sum_lanes, 3 * 128 * 8);
}

TEST(SoftmaxProfile, FramesFromThePairsOfSlotsToTheRow) {
  const auto frames = [](int64_t columns, int32_t index) {
    const int64_t of_a_step = profile_of(oddtile_fp32, columns, index).tile_columns;
    return (columns + of_a_step - 1) / of_a_step - 1;
  };
  EXPECT_EQ(frames(256, 33), 1) << "the block's";
  EXPECT_EQ(frames(384, 33), 2) << "a slot";
  EXPECT_EQ(frames(512, 33), 2) << "two";
  EXPECT_EQ(frames(640, 33), 3) << "three";
  EXPECT_EQ(frames(256, 66), 1) << "a block has no cluster";
  EXPECT_EQ(frames(257 * 4, 66), 2) << "and the cluster's";
}

}  // namespace
}  // namespace oddtile
