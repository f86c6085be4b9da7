#include "oracles/bounds/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/bounds/emulation.h"

namespace oddtile::oracles {
namespace {

using emulation::Variant;

TEST(Kappa, KnownValues) {
  oddtile_profile fma = {};
  EXPECT_EQ(kappa(0, fma), 0);
  EXPECT_EQ(kappa(1, fma), 0);
  EXPECT_EQ(kappa(64, fma), 64);
  oddtile_profile ampere = {};
  ampere.mma_products = 16;
  ampere.mma_fraction_bits = 23;
  EXPECT_EQ(kappa(64, ampere), 4 * (17 * 2 + 2) - 2);  // 2.25 each; the first accumulator is 0
  EXPECT_EQ(kappa(17, ampere), (17 * 2 + 2) + (2 * 2 + 2) - 2);
  oddtile_profile hopper = ampere;
  hopper.mma_fraction_bits = 25;
  EXPECT_EQ(kappa(16, hopper), 16 * 0.5 + 2);
  oddtile_profile rounding = hopper;
  rounding.mma_rounds = 1;
  EXPECT_EQ(kappa(64, rounding), kappa(64, hopper) / 2);
  rounding.mma_fraction_bits = 48;  // sums in double: what counts is one rounding a group
  EXPECT_GT(kappa(64, rounding), 4);
  EXPECT_LT(kappa(64, rounding), 4.00001);
}

TEST(Kappa, OfValuesCountsGroupsThatHoldLiveKeys) {
  oddtile_profile profile = {};
  profile.tile_columns = 32;
  profile.mma_products = 16;
  profile.mma_fraction_bits = 24;
  profile.weight_dtype = oddtile_fp16;
  const int64_t one[] = {5}, spread[] = {0, 16, 40};
  EXPECT_EQ(kappa_values(one, profile), 0);
  // Tile 0: two keys, two groups; tile 1: one of each.
  EXPECT_EQ(kappa_values(spread, profile), (2 + 2) + 2 * 2 + (1 + 1) + 2);
  profile.mma_rounds = 1;
  EXPECT_EQ(kappa_values(spread, profile), ((2 + 2) + 2 * 2 + (1 + 1) + 2) / 2.0);
}

TEST(SumDepth, TilesAndLanes) {
  oddtile_profile profile = {};
  EXPECT_EQ(sum_depth(130, profile), 130);
  profile.sum_lanes = 4;
  EXPECT_EQ(sum_depth(130, profile), 33 + 2);
  profile.tile_columns = 64;
  EXPECT_EQ(sum_depth(130, profile), 16 + 16 + 2 + 2);  // two columns may share a lane
  std::vector<int64_t> keys;
  for (int64_t j = 0; j < 130; ++j) keys.push_back(j);
  EXPECT_EQ(sum_depth(keys, profile), sum_depth(130, profile));
  EXPECT_EQ(tiles_touched(keys, profile), 3);
  EXPECT_EQ(tiles_touched(std::span(keys).subspan(63, 2), profile), 2);
}

TEST(Profile, GenerosityIsRefused) {
  const Variant variant;
  const auto refused = [](oddtile_profile profile) {
    return too_generous(profile, oddtile_fp16, oddtile_kernel_attention, 64);
  };
  EXPECT_EQ(refused(variant.profile()), "");
  EXPECT_EQ(refused({}), "");
  const auto with = [&](auto change) {
    oddtile_profile profile = variant.profile();
    change(profile);
    return refused(profile);
  };
  EXPECT_NE(with([](auto& p) { p.exp2_error = 1e-3; }).find("exp2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.exp2_error = 0x1p-21; }).find("exp2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.exp2_error = NAN; }).find("exp2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.log2_error = -1; }).find("log2_error"), std::string::npos);
  EXPECT_NE(with([](auto& p) { p.division_error_u = 100; }), "");
  EXPECT_NE(with([](auto& p) { p.extra_frame_u = 2; }), "");
  EXPECT_NE(with([](auto& p) { p.lazy_threshold_log2 = 20; }), "");
  EXPECT_NE(with([](auto& p) { p.mma_products = 16, p.mma_fraction_bits = 10; }), "");
  EXPECT_NE(with([](auto& p) { p.weight_dtype = oddtile_bf16; }), "");
}

// Generosity is few columns a step and few partial sums, not many.
TEST(Profile, StepsAndDepthOfTheRowSumHaveCeilings) {
  const auto refused = [](int32_t columns, int32_t lanes, int64_t n) {
    oddtile_profile profile = {};
    profile.tile_columns = columns;
    profile.sum_lanes = lanes;
    return too_generous(profile, oddtile_fp32, oddtile_kernel_softmax, n);
  };
  EXPECT_EQ(refused(1, 0, 1000),
            "tile_columns 1 makes 1000 online steps of a row of 1000, more than 65");
  EXPECT_NE(refused(15, 32, 1000), "");
  EXPECT_EQ(refused(16, 32, 1000), "");
  for (int64_t n = 1; n < 40; ++n) {  // two steps, one of them merging, may be said as three
    EXPECT_EQ(refused(int32_t(std::max<int64_t>(n / 2, 1)), 32, n), "") << n;
  }
  EXPECT_EQ(refused(0, 0, 1024), "");  // a loop over a short row
  EXPECT_EQ(refused(0, 0, 100000),
            "sum_lanes 0 makes a row sum of 100000 columns 100000 additions deep, more than 25032");
  EXPECT_NE(refused(0, 3, 100000), "");
  EXPECT_EQ(refused(0, 4, 100000), "");
  EXPECT_EQ(refused(128, 4, 4 * 1024 + 32), "");  // the last tile fills one lane's share
  const int64_t longest = int64_t(1) << 31;
  EXPECT_EQ(refused(std::numeric_limits<int32_t>::max(), 256, longest), "");
}

}  // namespace
}  // namespace oddtile::oracles
