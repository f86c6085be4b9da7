#include "oracles/bounds/hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "oracles/bounds/profile.h"

namespace oddtile::oracles {
namespace {

oddtile_profile declared() {
  oddtile_profile profile = {};
  profile.mma_products = 16;
  profile.mma_fraction_bits = 23;
  profile.exp2_error = 0x1p-22;
  profile.log2_error = 0x1p-21;
  profile.machine_arithmetic = 1;
  return profile;
}

TEST(Hardware, CommittedProfilesAreFoundAndBelowEveryCeiling) {
  const auto names = hardware_names();
  for (const char* name : {"nvidia-h200", "sim"})
    EXPECT_TRUE(std::find(names.begin(), names.end(), name) != names.end()) << name;
  EXPECT_EQ(hardware_profile("nvidia-h100"), nullptr);
  EXPECT_EQ(hardware_of_device("NVIDIA H200"), hardware_profile("nvidia-h200"));
  EXPECT_EQ(hardware_of_device("NVIDIA H100"), nullptr);
  for (const std::string& name : names) {
    const HardwareProfile& p = *hardware_profile(name);
    EXPECT_LE(p.exp2.relative_error, kCeilings.exp2_error) << name;
    EXPECT_LE(p.log2_error(), kCeilings.log2_error) << name;
    EXPECT_GE(p.exp2.relative_error, 0x1p-25) << name;
    oddtile_profile alone = declared();
    alone.mma_products = p.mma_products;
    alone.mma_fraction_bits = p.mma_fraction_bits;
    alone.mma_rounds = p.mma_rounds;
    EXPECT_EQ(too_generous(alone, oddtile_fp16, oddtile_kernel_attention, 64), "") << name;
    for (const MeasuredProduct& product : p.products) {
      EXPECT_EQ(product.fragments_agree, product.fragments) << product.instruction;
      EXPECT_EQ(product.agree, product.outputs) << product.instruction;
    }
  }
}

TEST(Hardware, JsonKeepsEverything) {
  for (const std::string& name : hardware_names()) {
    const HardwareProfile& profile = *hardware_profile(name);
    const std::string text = to_json(profile);
    EXPECT_EQ(to_json(parse_hardware(text)), text);
  }
  HardwareProfile p = *hardware_profile("nvidia-h200");
  p.exp2.relative_error = 0x1.2345678p-23;
  p.log2.absolute_at = 0x3F9ABCDE;
  p.exp2.simulated = !p.exp2.simulated;
  p.mma_rounds = true;
  const HardwareProfile back = parse_hardware(to_json(p));
  EXPECT_EQ(back.exp2.relative_error, p.exp2.relative_error);
  EXPECT_EQ(back.log2.absolute_at, p.log2.absolute_at);
  EXPECT_TRUE(back.mma_rounds);
  EXPECT_EQ(back.exp2.simulated, p.exp2.simulated);
}

TEST(Hardware, WhatIsNoProfileIsRefused) {
  HardwareProfile p = *hardware_profile("nvidia-h200");
  EXPECT_THROW(parse_hardware("{}"), std::runtime_error);
  EXPECT_THROW(parse_hardware("exp2"), std::runtime_error);
  p.exp2.relative_error = 0;
  EXPECT_THROW(parse_hardware(to_json(p)), std::runtime_error);
}

TEST(Sharpened, MeasuredNumbersReplaceLargerOnes) {
  const HardwareProfile& h200 = *hardware_profile("nvidia-h200");
  const oddtile_profile sharp = sharpened(declared(), &h200);
  EXPECT_EQ(sharp.exp2_error, h200.exp2.relative_error);
  EXPECT_EQ(sharp.log2_error, h200.log2_error());
  EXPECT_EQ(sharp.mma_fraction_bits, h200.mma_fraction_bits);
  EXPECT_LT(kappa(128, sharp), kappa(128, declared()));
}

TEST(Sharpened, NothingIsReplacedWithoutALeaveOrByALargerNumber) {
  const HardwareProfile& h200 = *hardware_profile("nvidia-h200");
  oddtile_profile own = declared();
  own.machine_arithmetic = 0;
  EXPECT_EQ(sharpened(own, &h200).exp2_error, own.exp2_error);
  EXPECT_EQ(sharpened(own, &h200).mma_fraction_bits, 23);
  EXPECT_EQ(sharpened(declared(), nullptr).exp2_error, declared().exp2_error);
  oddtile_profile better = declared();
  better.exp2_error = 0x1p-24;
  better.log2_error = 0;
  better.mma_fraction_bits = 30;
  const oddtile_profile kept = sharpened(better, &h200);
  EXPECT_EQ(kept.exp2_error, 0x1p-24);
  EXPECT_EQ(kept.log2_error, 0);
  EXPECT_EQ(kept.mma_fraction_bits, 30);
  oddtile_profile fma = declared();
  fma.mma_products = fma.mma_fraction_bits = 0;
  EXPECT_EQ(sharpened(fma, &h200).mma_products, 0);
}

// Measurements must not hide a declaration that is to be refused.
TEST(Sharpened, GenerosityStaysVisible) {
  const HardwareProfile& h200 = *hardware_profile("nvidia-h200");
  const auto refused = [&](auto change) {
    oddtile_profile profile = declared();
    change(profile);
    return too_generous(sharpened(profile, &h200), oddtile_fp16, oddtile_kernel_attention, 64);
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_NE(refused([](auto& p) { p.exp2_error = 1e-3; }), "");
  EXPECT_NE(refused([](auto& p) { p.log2_error = 1e-3; }), "");
  EXPECT_NE(refused([](auto& p) { p.mma_fraction_bits = 10; }), "");
}

}  // namespace
}  // namespace oddtile::oracles
