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
  // What an H200 shows: products alone are resolved to 2^-158, beside an addend to 2^-151.
  for (const char* part :
       {" product 2^-149 158;", " product 2^-140 158;", " addend 2^-149 151;",
        " product 2^-149, addend -0 158;", " 2^-149 + 2^-150 is 0x1p-149, -2^-150 is +0x0p+0,"})
    EXPECT_NE(lines[5].find(part), std::string::npos) << part << " in " << lines[5];
  EXPECT_NE(lines[1].find("powers 25, product 2.25 25, addend 25"), std::string::npos) << lines[1];
}

}  // namespace
}  // namespace oddtile::properties
