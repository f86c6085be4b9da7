#include <gtest/gtest.h>

#include <limits>

#include "oracles/case/layout.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {
namespace {

TEST(Bind, BindsAddressesStridesAndSentinels) {
  const Case subject = {AttentionCase{.batch = 2,
                                      .heads_kv = 2,
                                      .group = 3,
                                      .seq_q = 3,
                                      .seq_k = 5,
                                      .head_dim = 8,
                                      .band_high = 0,
                                      .lengths = KeyLengths::random,
                                      .mask = MaskKind::half,
                                      .mask_layout = MaskLayout::transposed,
                                      .k_layout = Layout::reversed,
                                      .pad = 1,
                                      .k_offset = 3}};
  const Workload workload = materialise(subject, Poison::nan);
  std::vector<void*> addresses;
  for (const Tensor& tensor : workload.tensors) {
    addresses.push_back(const_cast<std::byte*>(tensor.bytes.data()));
  }
  const oddtile_problem problem = oracles::bind(workload, addresses);
  ASSERT_EQ(problem.kernel, oddtile_kernel_attention);
  const auto& bound = problem.attention;
  EXPECT_EQ(bound.heads_q, 6);
  EXPECT_EQ(bound.band_low, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(bound.band_high, 0);
  EXPECT_EQ(bound.k.row_stride, -9);
  const std::byte* k = workload.find(Role::k)->bytes.data();
  EXPECT_EQ(static_cast<std::byte*>(bound.k.data) - k, 2 * (3 + 4 * 9));
  EXPECT_EQ(bound.mask_row_stride, 1);
  EXPECT_EQ(bound.mask_column_stride, 3);
  EXPECT_NE(bound.lse, nullptr);
  EXPECT_EQ(bound.lse_head_stride, 4);
  EXPECT_NE(bound.key_length, nullptr);
}

TEST(Bind, AliasesBindToOneAddress) {
  const Workload add = materialise(
      {VectorAddCase{.n = 5, .y_offset = 3, .out_offset = 3, .alias = Alias::y}}, Poison::nan);
  float x[256], y[256];
  void* const addresses[] = {x, y, y};
  const oddtile_problem problem = oracles::bind(add, addresses);
  EXPECT_EQ(problem.vector_add.out, problem.vector_add.y);
  EXPECT_EQ(problem.vector_add.out, y + 3);
  EXPECT_EQ(problem.vector_add.mask, nullptr);
  EXPECT_TRUE(add.find(Role::out)->bytes.empty());
}

TEST(Bind, WhatACaseDoesNotHaveIsNull) {
  const Workload workload = materialise({AttentionCase{.lse = 0}}, Poison::nan);
  Poison space[4] = {};
  void* const addresses[] = {&space[0], &space[1], &space[2], &space[3]};
  const auto bound = oracles::bind(workload, addresses).attention;
  EXPECT_EQ(bound.lse, nullptr);
  EXPECT_EQ(bound.mask, nullptr);
  EXPECT_EQ(bound.key_length, nullptr);
  EXPECT_EQ(bound.band_low, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(bound.band_high, std::numeric_limits<int64_t>::max());
}

TEST(Bind, NowhereIsAlignedAndApartButForAnAlias) {
  const Case subject = {SoftmaxCase{
      .dtype = oddtile_bf16, .rows = 3, .columns = 5, .y_offset = 3, .mask = MaskKind::half}};
  const oddtile_softmax_problem apart = bind_nowhere(subject).softmax;
  const auto at = [](const void* address) { return reinterpret_cast<uintptr_t>(address); };
  EXPECT_EQ(at(apart.x) % 256, 0u);
  EXPECT_EQ(at(apart.y) % 256, 6u);
  EXPECT_NE(apart.mask, nullptr);
  EXPECT_GT(at(apart.y) - at(apart.x), uintptr_t(1) << 32);
  const oddtile_softmax_problem in_place =
      bind_nowhere({SoftmaxCase{.rows = 3, .columns = 5, .alias = Alias::x}}).softmax;
  EXPECT_EQ(in_place.x, in_place.y);
}

}  // namespace
}  // namespace oddtile::oracles
