#include "oracles/judge/power.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracles/bounds/rounding.h"
#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

std::vector<Power> power_of(const Workload& workload) {
  const oddtile_dtype dtype =
      std::visit([](const auto& c) { return c.dtype; }, workload.subject.problem);
  return measure_power(workload, fused_profile(dtype));
}

bool alike(double ratio, double factor) {
  return ratio > 0.95 * factor && ratio < 1.05 * factor;
}

// The factors are what judge() finds when such an output is there.
TEST(Power, IsWhatTheJudgeWouldFind) {
  for (const char* text : {"attention seq_q=20 seq_k=40 head_dim=32 contents=coded",
                           "softmax rows=9 columns=50 values=noise",
                           "attention dtype=bf16 seq_q=17 seq_k=33 head_dim=24 heads_kv=2 group=3 "
                           "band_high=0 scores=noise"}) {
    const Workload workload = made(text);
    const std::vector<Power> power = power_of(workload);
    for (const Power& one : power) {
      const Outputs exact = exact_outputs(workload);
      Outputs zeros = exact, stale = exact, nan = exact;
      const Tensor& tensor = *workload.find(one.role);
      const bool lse = one.role == Role::lse;  // its rows are the last dimension
      const int64_t rows = tensor.sizes[lse ? 3 : 2], columns = lse ? 1 : tensor.sizes[3];
      for (int64_t a = 0; a < tensor.sizes[0] * tensor.sizes[1] * (lse ? tensor.sizes[2] : 1); ++a)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t x = 0; x < columns; ++x) {
            const auto at = [&](int64_t row) {
              return lse ? tensor.index(0, a / tensor.sizes[2], a % tensor.sizes[2], row)
                         : tensor.index(a / tensor.sizes[1], a % tensor.sizes[1], row, x);
            };
            put(zeros, workload, one.role, at(r), 0);
            put(nan, workload, one.role, at(r), NAN);
            put(stale, workload, one.role, at(r),
                get(exact, workload, one.role, at(r > 0 ? r - 1 : 1)));
          }
      const auto worst = [&](const Outputs& outputs) {
        for (const Quantity& quantity : judged(workload, outputs).quantities)
          if (quantity.role == one.role) return quantity;
        return Quantity{};
      };
      if (one.rows < rows) continue;
      EXPECT_TRUE(alike(worst(zeros).worst_ratio, one.zero_factor)) << text;
      // The stale row is rounded to the output's type.
      EXPECT_TRUE(alike(worst(stale).worst_ratio, one.stale_factor)) << text;
      if (one.rows == worst(nan).judged / columns) {
        EXPECT_EQ(worst(nan).failed, one.stale_nan_fails) << text;
      }
    }
    fmt::print("{}", describe(power));
  }
}

TEST(Power, ClassesFailWithoutLimit) {
  // A row of NaN: a NaN is right there, zeros are not.
  const Workload ruined = made("softmax rows=8 columns=9 values=specials");
  EXPECT_EQ(power_of(ruined)[0].zero_factor, kNever);
  EXPECT_LT(power_of(ruined)[0].stale_nan_fails, power_of(ruined)[0].elements);
  const Workload dead = made("attention seq_q=2 seq_k=3 mask=nothing");
  const std::vector<Power> power = power_of(dead);
  EXPECT_EQ(power[0].zero_factor, 0);  // zeros are right
  EXPECT_EQ(power[1].zero_factor, kNever);
  EXPECT_EQ(power[1].stale_nan_fails, 2);
  EXPECT_EQ(power_of(made("vector_add n=50 values=noise"))[0].zero_factor, kNever);
  EXPECT_EQ(power_of(made("vector_add n=50 values=zeros"))[0].zero_factor, 0);
  EXPECT_TRUE(
      measure_power(made("softmax rows=0 columns=4"), fused_profile(oddtile_fp32))[0].rows == 0);
}

}  // namespace
}  // namespace oddtile::oracles
