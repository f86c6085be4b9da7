#include "oracles/exact/read.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oddtile::oracles {
namespace {

TEST(Read, EveryHalfIsTheSameNumber) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wanted = half_to_float({uint16_t(bits)}), got = widened({uint16_t(bits)});
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(got)) << bits;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(wanted)) << bits;
  }
}

TEST(Read, StridesAndPieces) {
  Tensor tensor = {Role::x, Element::fp32};
  tensor.sizes[3] = 5;
  tensor.offset = 9;
  std::vector<std::byte> bytes(11 * 4);
  for (int i = 0; i < 11; ++i) {
    const float value = float(i);
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  double out[2];
  for (const int64_t stride : {-2, 0}) {
    tensor.strides[3] = stride;
    read_columns(bytes, tensor, 0, 0, 0, 3, 2, out);
    EXPECT_EQ(out[0], 9 + 3 * double(stride));
    EXPECT_EQ(out[1], 9 + 4 * double(stride));
  }
  tensor.strides[3] = 1;
  EXPECT_DEATH(read_columns(bytes, tensor, 0, 0, 0, 0, 3, out), "broken invariant");
}

TEST(Read, BytesOfAMask) {
  Tensor tensor = {Role::mask, Element::byte};
  tensor.sizes[3] = 5;
  tensor.offset = 4;
  std::vector<std::byte> bytes;
  for (int i = 0; i < 9; ++i) bytes.push_back(std::byte(10 + i));
  uint8_t out[2];
  for (const int64_t stride : {-1, 0, 1}) {
    tensor.strides[3] = stride;
    read_bytes(bytes, tensor, 0, 0, 0, 3, 2, out);
    EXPECT_EQ(out[0], 14 + 3 * stride);
    EXPECT_EQ(out[1], 14 + 4 * stride);
  }
  tensor.strides[3] = 2;
  EXPECT_DEATH(read_bytes(bytes, tensor, 0, 0, 0, 3, 2, out), "broken invariant");
}

}  // namespace
}  // namespace oddtile::oracles
