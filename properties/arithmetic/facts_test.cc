#include <gtest/gtest.h>

#include "properties/arithmetic/imitation.h"
#include "properties/arithmetic/products.h"

namespace oddtile::properties {
namespace {

TEST(Facts, ShowTheBitsThatAreKept) {
  const oracles::HardwareProfile profile = hardware(16, 25, false);
  const Imitation imitation(profile);
  const auto lines = product_facts(sim_machine(), ProbeProduct::mma, true);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_NE(lines[0].find("survives at 0 of 210"), std::string::npos) << lines[0];
  EXPECT_NE(lines[3].find("2^120 is inf, + half of its last bit 3.4"), std::string::npos)
      << lines[3];
  EXPECT_NE(lines[1].find("powers 25, product 2.25 25, addend 25"), std::string::npos) << lines[1];
}

}  // namespace
}  // namespace oddtile::properties
