#include "kernels/sim/tensor_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace oddtile::simulator {
namespace {

alignas(128) std::byte memory[64 * 1024];

TensorLayout good() {
  TensorLayout layout;
  layout.base = memory;
  layout.element = TensorElement::bfloat16;
  layout.swizzle = Swizzle::span_128;
  layout.rank = 4;
  const int64_t extent[] = {72, 10, 3, 2};
  const int32_t box[] = {64, 8, 1, 1};
  for (int i = 0; i < 4; ++i) {
    layout.extent[i] = extent[i];
    layout.box[i] = box[i];
    if (i > 0) layout.stride_bytes[i] = i == 1 ? 144 : layout.stride_bytes[i - 1] * extent[i - 1];
  }
  return layout;
}

TEST(TensorMap, holds_the_layout_that_it_was_made_from) {
  TensorMap map;
  ASSERT_TRUE(write_tensor_map(&map, good()));
  TensorLayout back;
  ASSERT_TRUE(read_tensor_map(map, &back));
  EXPECT_EQ(back.base, good().base);
  EXPECT_EQ(back.rank, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(back.extent[i], good().extent[i]);
    EXPECT_EQ(back.box[i], good().box[i]);
    if (i > 0) {
      EXPECT_EQ(back.stride_bytes[i], good().stride_bytes[i]);
    }
  }
}

TEST(TensorMap, nothing_is_read_from_an_object_that_nobody_encoded) {
  TensorLayout back;
  EXPECT_FALSE(read_tensor_map(TensorMap{}, &back));
}

// Each change alone makes a good layout impossible, and only that one.
TEST(TensorMap, every_rule_refuses_its_own_breach) {
  const std::vector<std::pair<const char*, void (*)(TensorLayout&)>> breaches = {
      {"base is not 16-byte aligned", [](TensorLayout& l) { l.base = memory + 8; }},
      {"rank outside 1 to 5", [](TensorLayout& l) { l.rank = 6; }},
      {"rank outside 1 to 5", [](TensorLayout& l) { l.rank = 0; }},
      {"extent outside 1..2^32", [](TensorLayout& l) { l.extent[1] = 0; }},
      {"extent outside 1..2^32", [](TensorLayout& l) { l.extent[1] = (int64_t(1) << 32) + 1; }},
      {"box outside 1 to 256", [](TensorLayout& l) { l.box[1] = 257; }},
      {"box outside 1 to 256", [](TensorLayout& l) { l.box[3] = 0; }},
      {"stride is no multiple of 16 bytes", [](TensorLayout& l) { l.stride_bytes[1] = 136; }},
      {"stride outside 0 to 2^40 bytes", [](TensorLayout& l) { l.stride_bytes[2] = -16; }},
      {"stride outside 0 to 2^40 bytes",
       [](TensorLayout& l) { l.stride_bytes[2] = int64_t(1) << 40; }},
      {"box's rows are no multiple of 16 bytes", [](TensorLayout& l) { l.box[0] = 12; }},
      {"box's rows are not as long as the swizzle's span", [](TensorLayout& l) { l.box[0] = 128; }},
      {"box's rows are not as long as the swizzle's span", [](TensorLayout& l) { l.box[0] = 32; }},
  };
  EXPECT_EQ(refusal(good()), nullptr);
  for (const auto& [why, breach] : breaches) {
    TensorLayout layout = good();
    breach(layout);
    ASSERT_NE(refusal(layout), nullptr) << why;
    EXPECT_EQ(std::string(refusal(layout)), why);
    TensorMap map;
    EXPECT_FALSE(write_tensor_map(&map, layout));
  }
}

// Against the definition: element (c, r, h, b) of the box, one by one.
TEST(TensorMap, pieces_of_a_box_cover_each_element_once) {
  const TensorLayout layout = good();
  const int32_t at[] = {8, 5, 2, 1};
  constexpr uint32_t kShared = 2048;
  std::set<uint32_t> places;
  const std::vector<BoxPiece> pieces = box_pieces(layout, at, kShared);
  ASSERT_EQ(pieces.size(), size_t(layout.box_bytes() / 16));
  for (size_t i = 0; i < pieces.size(); ++i) {
    const int row = int(i) / 8;
    const int column = int(i) % 8 * 8;
    const bool inside = at[1] + row < 10;
    const uintptr_t expected =
        reinterpret_cast<uintptr_t>(memory) +
        uintptr_t((at[0] + column) * 2 + (at[1] + row) * 144 + at[2] * 1440 + at[3] * 4320);
    EXPECT_EQ(pieces[i].global, expected);
    EXPECT_EQ(pieces[i].valid_begin, 0);
    EXPECT_EQ(pieces[i].valid_end, inside ? 16 : 0);
    EXPECT_EQ(pieces[i].shared, kShared + uint32_t(row * 128 + ((column / 8) ^ (row & 7)) * 16));
    places.insert(pieces[i].shared);
  }
  EXPECT_EQ(places.size(), pieces.size());
}

TEST(TensorMap, a_piece_may_be_valid_in_part_on_either_side) {
  TensorLayout layout;
  layout.base = memory;
  layout.element = TensorElement::bfloat16;
  layout.rank = 1;
  layout.extent[0] = 12;
  layout.box[0] = 16;
  const int32_t before[] = {-4};
  std::vector<BoxPiece> pieces = box_pieces(layout, before, 0);
  EXPECT_EQ(pieces[0].valid_begin, 8);
  EXPECT_EQ(pieces[0].valid_end, 16);
  const int32_t behind[] = {8};
  pieces = box_pieces(layout, behind, 0);
  EXPECT_EQ(pieces[0].valid_begin, 0);
  EXPECT_EQ(pieces[0].valid_end, 8);
  EXPECT_EQ(pieces[1].valid_end, 0);
}

TEST(TensorMap, a_store_writes_the_last_piece_of_a_row_in_full) {
  TensorLayout layout;
  layout.base = memory;
  layout.element = TensorElement::half;
  layout.rank = 1;
  layout.extent[0] = 15;
  layout.box[0] = 24;
  const int32_t at[] = {0};
  const std::vector<BoxPiece> pieces = box_pieces(layout, at, 0, true);
  EXPECT_EQ(pieces[1].valid_end, 16);
  EXPECT_EQ(pieces[2].valid_end, 0);
}

}  // namespace
}  // namespace oddtile::simulator
