// The launch that a configuration means: threads, blocks that share a row, what they hold.
#include <gtest/gtest.h>

#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

alignas(128) float memory[64];
constexpr int64_t kMany = 100000;
constexpr SoftmaxMachine kMachine = {227 * 1024, 16};

oddtile_softmax_problem problem(oddtile_dtype dtype, int64_t rows, int64_t columns,
                                int64_t stride = -1) {
  if (stride < 0) stride = columns;
  return {dtype, rows, columns, memory + 32, stride, memory, stride, nullptr, 0};
}

TEST(SoftmaxPlan, ABlockHasTheThreadsThatItsRowNeeds) {
  const auto threads = [](int64_t columns, int32_t index, int64_t stride = -1) {
    return softmax_plan(problem(oddtile_fp32, kMany, columns, stride), index).threads;
  };
  EXPECT_EQ(threads(4, 9), 64);
  EXPECT_EQ(threads(2048, 9), 128);
  EXPECT_EQ(threads(2052, 9), 160);
  EXPECT_EQ(threads(2048, 9, 2049), 160);  // rows start anywhere: up to 31 elements come before
  EXPECT_EQ(threads(12672, 10), 416);
}

TEST(SoftmaxPlan, BlocksOfAClusterTakeTurns) {
  const auto slots = [](const oddtile_softmax_problem& p) {
    return softmax_plan(p, 53).shared_slots;  // 8 x 128 lanes, 8 vectors in registers
  };
  EXPECT_EQ(slots(problem(oddtile_fp32, kMany, 32768)), 0);
  EXPECT_EQ(slots(problem(oddtile_fp32, kMany, 32772)), 1);
  EXPECT_EQ(slots(problem(oddtile_fp32, kMany, 4 * 9 * 1024)), 1);
  EXPECT_EQ(slots(problem(oddtile_fp32, kMany, 4 * 9 * 1024 + 4)), 2);
}

TEST(SoftmaxPlan, AsManyBlocksAsHoldARow) {
  const auto blocks = [](int64_t columns) {
    const SoftmaxPlan plan = softmax_plan(problem(oddtile_fp32, 3, columns), 65);
    EXPECT_EQ(plan.shared_slots, 0);
    EXPECT_EQ(plan.blocks, 3 * plan.cluster_blocks);
    return plan.cluster_blocks;
  };
  EXPECT_EQ(blocks(1), 1);
  EXPECT_EQ(blocks(4096), 1);
  EXPECT_EQ(blocks(4097), 2);
  EXPECT_EQ(blocks(65536), 16);
  const auto admits = [](int64_t columns, const SoftmaxMachine& machine) {
    return softmax_admits(problem(oddtile_fp32, 3, columns), 65, machine);
  };
  EXPECT_FALSE(admits(1000, kMachine)) << "most lanes would be idle";
  EXPECT_TRUE(admits(65536, kMachine));
  EXPECT_FALSE(admits(65537, kMachine));
  EXPECT_TRUE(admits(4096, {227 * 1024, 1}));
  EXPECT_FALSE(admits(4097, {227 * 1024, 1})) << "no clusters";
}

}  // namespace
}  // namespace oddtile
