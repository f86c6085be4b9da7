// Views and extents at the sizes where arithmetic gives way.
#include "kernels/api/arguments.h"

#include <gtest/gtest.h>

#include <climits>

namespace oddtile {
namespace {

alignas(16) uint16_t memory[64];

View view(int64_t rows, int64_t row_stride, int64_t columns) {
  return {memory, {1, 1, rows, columns}, {INT64_MIN, 0, row_stride, 1}, 2};
}

TEST(View, strides_of_single_items_do_not_matter) {
  EXPECT_FALSE(view(3, 8, 8).too_large());
  EXPECT_FALSE(view(1, INT64_MIN, 8).too_large());
  EXPECT_FALSE(view(1, INT64_MAX, 8).overlaps_itself());
  EXPECT_EQ(view(1, INT64_MAX, 8).extent().end, view(1, 0, 8).extent().end);
}

TEST(View, addresses_beyond_any_memory_are_too_large) {
  EXPECT_TRUE(view(2, INT64_MIN, 8).too_large());
  EXPECT_TRUE(view(3, INT64_MAX / 2, 8).too_large());
  EXPECT_TRUE(view(INT64_MAX, 0, 8).too_large()) << "although a stride of 0 stays in place";
  EXPECT_TRUE(view(2, kMostElements + 1, 8).too_large());
}

TEST(View, extent_holds_both_ends_of_a_reversed_view) {
  const auto origin = reinterpret_cast<uintptr_t>(memory);
  const View reversed = {memory + 16, {1, 1, 3, 4}, {0, 0, -8, 1}, 2};
  EXPECT_EQ(reversed.extent().begin, origin);
  EXPECT_EQ(reversed.extent().end, origin + (16 + 4) * 2);
}

TEST(View, nested_layouts_are_distinct_and_others_overlap) {
  EXPECT_FALSE(view(3, 8, 8).overlaps_itself());
  EXPECT_TRUE(view(3, 7, 8).overlaps_itself());
  EXPECT_TRUE(view(3, 0, 8).overlaps_itself());
  EXPECT_TRUE(view(3, -8, 8).overlaps_itself());
}

TEST(Extent, touching_is_not_overlapping) {
  EXPECT_FALSE((Extent{0, 8}.overlaps(Extent{8, 16})));
  EXPECT_TRUE((Extent{0, 9}.overlaps(Extent{8, 16})));
}

TEST(Enumerations, any_bits_are_looked_at_without_naming_them) {
  const uint32_t bits = 7;
  oddtile_dtype dtype;
  std::memcpy(&dtype, &bits, sizeof dtype);
  EXPECT_FALSE(is_dtype(dtype));
  EXPECT_TRUE(is_dtype(oddtile_bf16));
}

}  // namespace
}  // namespace oddtile
