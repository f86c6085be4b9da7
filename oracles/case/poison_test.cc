#include "oracles/case/poison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace oddtile::oracles {
namespace {

constexpr Element kElements[] = {Element::fp32, Element::fp16, Element::bf16, Element::byte,
                                 Element::int32};

TEST(Poison, FillsEveryByteWithItsElement) {
  for (Element element : kElements) {
    for (Poison poison : {Poison::nan, Poison::large, Poison::zero}) {
      std::vector<std::byte> bytes(size_t(7 * element_bytes(element)));
      fill_poison(bytes, element, poison);
      const double first = value_at(bytes, element, 0);
      for (int64_t index = 1; index < 7; ++index) {
        const double value = value_at(bytes, element, index);
        EXPECT_TRUE(value == first || (std::isnan(value) && std::isnan(first)));
      }
      EXPECT_EQ(first == 0, poison == Poison::zero);
    }
  }
}

TEST(Poison, KindsDifferAndKeepTheirClass) {
  for (Element element : {Element::fp32, Element::fp16, Element::bf16}) {
    const auto value = [&](uint32_t bits) {
      std::vector<std::byte> bytes(4);
      std::memcpy(bytes.data(), &bits, 4);
      return value_at(bytes, element, 0);
    };
    EXPECT_TRUE(std::isnan(value(poison_bits(element, Poison::nan))));
    EXPECT_TRUE(std::isfinite(value(poison_bits(element, Poison::large))));
    EXPECT_GE(value(poison_bits(element, Poison::large)), 65504);
    EXPECT_LE(value(finite_poison_bits(element, Poison::nan)), -65504);
    EXPECT_TRUE(std::isfinite(value(finite_poison_bits(element, Poison::nan))));
  }
}

}  // namespace
}  // namespace oddtile::oracles
