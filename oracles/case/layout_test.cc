#include "oracles/case/layout.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oddtile::oracles {
namespace {

TEST(Layout, HeadsOfABroadcastTensorAreOne) {
  for (Layout layout : {Layout::broadcast, Layout::bhsd}) {
    const Case subject = {AttentionCase{.heads_kv = 3, .seq_q = 4, .seq_k = 5, .k_layout = layout}};
    const Workload workload = materialise(subject, Poison::nan);
    const Tensor& k = *workload.find(Role::k);
    EXPECT_EQ(k.strides[1] == 0, layout == Layout::broadcast);
    const bool same = value_at(k.bytes, k.element, k.index(0, 0, 4, 7)) ==
                          value_at(k.bytes, k.element, k.index(0, 2, 4, 7)) &&
                      value_at(k.bytes, k.element, k.index(0, 0, 1, 3)) ==
                          value_at(k.bytes, k.element, k.index(0, 2, 1, 3)) &&
                      value_at(k.bytes, k.element, k.index(0, 0, 2, 9)) ==
                          value_at(k.bytes, k.element, k.index(0, 2, 2, 9));
    EXPECT_EQ(same, layout == Layout::broadcast);
  }
}

TEST(Layout, LayoutsOrderDimensionsAsNamed) {
  const auto strides = [](Layout layout) {
    const Case subject = {AttentionCase{
        .batch = 2, .heads_kv = 3, .seq_q = 5, .head_dim = 8, .q_layout = layout, .pad = 2}};
    const Workload workload = materialise(subject, Poison::nan);
    const Tensor& q = *workload.find(Role::q);
    return std::vector<int64_t>(q.strides, q.strides + 4);
  };
  EXPECT_EQ(strides(Layout::bhsd), (std::vector<int64_t>{150, 50, 10, 1}));
  EXPECT_EQ(strides(Layout::bshd), (std::vector<int64_t>{150, 10, 30, 1}));
  EXPECT_EQ(strides(Layout::sbhd), (std::vector<int64_t>{30, 10, 60, 1}));
  EXPECT_EQ(strides(Layout::broadcast), (std::vector<int64_t>{50, 0, 10, 1}));
  EXPECT_EQ(strides(Layout::reversed), (std::vector<int64_t>{150, 50, -10, 1}));
}

TEST(Layout, MasksHaveTheStridesOfTheirName) {
  const auto strides = [](MaskLayout layout) {
    const auto tensors = lay_out({AttentionCase{.batch = 2,
                                                .heads_kv = 3,
                                                .seq_q = 5,
                                                .seq_k = 7,
                                                .mask = MaskKind::half,
                                                .mask_layout = layout}});
    return std::vector<int64_t>(tensors[3].strides, tensors[3].strides + 4);
  };
  EXPECT_EQ(strides(MaskLayout::dense), (std::vector<int64_t>{105, 35, 7, 1}));
  EXPECT_EQ(strides(MaskLayout::padded), (std::vector<int64_t>{210, 70, 14, 1}));
  EXPECT_EQ(strides(MaskLayout::row_broadcast), (std::vector<int64_t>{21, 7, 0, 1}));
  EXPECT_EQ(strides(MaskLayout::head_broadcast), (std::vector<int64_t>{0, 0, 7, 1}));
  EXPECT_EQ(strides(MaskLayout::column_broadcast), (std::vector<int64_t>{15, 5, 1, 0}));
  EXPECT_EQ(strides(MaskLayout::transposed), (std::vector<int64_t>{105, 35, 1, 5}));
}

TEST(Layout, RowsOfSoftmaxAreOneOrDescend) {
  const auto x_of = [](RowLayout layout, int64_t i) {
    const Workload workload = materialise({SoftmaxCase{.rows = 3,
                                                       .columns = 5,
                                                       .x_pad = 2,
                                                       .x_offset = 1,
                                                       .x_layout = layout,
                                                       .values = Values::noise}},
                                          Poison::nan);
    const Tensor& x = *workload.find(Role::x);
    return std::pair(x.strides[2], value_at(x.bytes, x.element, x.index(0, 0, i, 4)));
  };
  EXPECT_EQ(x_of(RowLayout::dense, 0).first, 7);
  EXPECT_EQ(x_of(RowLayout::broadcast, 0).first, 0);
  EXPECT_EQ(x_of(RowLayout::reversed, 0).first, -7);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(x_of(RowLayout::broadcast, i).second, x_of(RowLayout::dense, 0).second);
    EXPECT_EQ(x_of(RowLayout::reversed, i).second, x_of(RowLayout::dense, i).second);
  }
}

// What one row sees must be ordinary for all who read it.
TEST(Layout, ARowReadByAllIsSpoiledOnlyWhereNobodyLooks) {
  const Workload workload = materialise({SoftmaxCase{.rows = 6,
                                                     .columns = 300,
                                                     .mask = MaskKind::half,
                                                     .x_layout = RowLayout::broadcast,
                                                     .values = Values::noise}},
                                        Poison::nan);
  const Tensor &x = *workload.find(Role::x), &mask = *workload.find(Role::mask);
  int64_t spoiled = 0;
  for (int64_t c = 0; c < 300; ++c) {
    bool seen = false;
    for (int64_t r = 0; r < 6; ++r)
      seen = seen || value_at(mask.bytes, mask.element, mask.index(0, 0, r, c)) != 0;
    const bool ordinary = std::fabs(value_at(x.bytes, x.element, x.index(0, 0, 3, c))) < 10;
    EXPECT_TRUE(ordinary || !seen) << c;
    spoiled += !ordinary;
  }
  EXPECT_GT(spoiled, 0);
}

TEST(Layout, EmptyTensorsStillHaveRoomForPoison) {
  for (const Tensor& tensor : lay_out({AttentionCase{.batch = 0, .k_layout = Layout::reversed}})) {
    EXPECT_EQ(tensor.count(), 0);
    EXPECT_GE(tensor.capacity * element_bytes(tensor.element), kSlackBytes);
  }
}

}  // namespace
}  // namespace oddtile::oracles
