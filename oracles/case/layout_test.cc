#include "oracles/case/layout.h"

#include <gtest/gtest.h>

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

TEST(Layout, EmptyTensorsStillHaveRoomForPoison) {
  for (const Tensor& tensor : lay_out({AttentionCase{.batch = 0, .k_layout = Layout::reversed}})) {
    EXPECT_EQ(tensor.count(), 0);
    EXPECT_GE(tensor.capacity * element_bytes(tensor.element), kSlackBytes);
  }
}

}  // namespace
}  // namespace oddtile::oracles
