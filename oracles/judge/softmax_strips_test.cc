// Strips against the careful way, on random cases of every recipe, mask and layout.
#include "oracles/judge/softmax_strips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>

#include "kernels/base/random.h"
#include "oracles/bounds/rounding.h"
#include "oracles/case/fields.h"
#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

std::string random_case(Random& random) {
  std::string text = "softmax rows=" + std::to_string(random.between(1, 4)) +
                     " columns=" + std::to_string(random.between(1, 1300)) +
                     " seed=" + std::to_string(random.below(1000));
  const auto choose = [&](const char* name, auto values) {
    text +=
        " " + std::string(name) + "=" + std::string(values[random.below(uint32_t(values.size()))]);
  };
  choose("dtype",
         std::array{std::string_view("fp32"), std::string_view("fp16"), std::string_view("bf16")});
  choose("mask", names(MaskKind::none));
  choose("values", names(Values::noise));
  return text +
         std::array{" x_pad=1", " x_layout=broadcast", " x_layout=reversed"}[random.below(3)];
}

SoftmaxTensors tensors_of(const Workload& workload, const Outputs& outputs) {
  const Tensor* mask = workload.find(Role::mask);
  const Tensor& x = *workload.find(Role::x);
  return {x,
          *workload.find(Role::y),
          mask,
          stored_bytes(workload, x),
          outputs[size_t(workload.index_of(Role::y))],
          mask == nullptr ? std::span<const std::byte>() : stored_bytes(workload, *mask)};
}

// A tally of row r alone against what its row and bound say.
void expect_the_same(const Workload& workload, const Outputs& outputs, int64_t r,
                     const SoftmaxRow& row, const SoftmaxBound& bound,
                     const oddtile_profile& profile, const Tally& tally, const std::string& text) {
  const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
  const Tensor& y = *workload.find(Role::y);
  double worst = 0, zero = 0, net = 0, squares = 0;
  std::vector<double> ratios(row.offset.size(), 0.0);  // 0 where masked
  for (size_t i = 0; i < row.offset.size(); ++i) {
    if (!(row.offset[i] > -kNever)) continue;
    const double got = get(outputs, workload, Role::y, y.index(0, 0, r, int64_t(i)));
    const double rounding = unit_roundoff(c.dtype) * row.weight[i] + subnormal_roundoff(c.dtype) +
                            weight_flush(profile);
    const double error = std::fabs(got - row.weight[i]);
    ratios[i] = error / bound.error[i];
    squares += ratios[i] * ratios[i];
    worst = std::max(worst, ratios[i]);
    zero = std::max(zero, row.weight[i] / bound.error[i]);
    net = std::max(net, (error - rounding) / (bound.error[i] - rounding));
  }
  const Quantity quantity = tally.quantity(Role::y);
  EXPECT_EQ(quantity.judged, c.columns) << text;
  EXPECT_EQ(quantity.failed, 0) << text;
  EXPECT_LE(std::fabs(quantity.worst_ratio - worst), 1e-6) << text;
  EXPECT_LE(std::fabs(tally.zero_factor() - zero), 1e-6 * zero) << text;
  if (c.dtype == oddtile_fp32)
    EXPECT_LE(std::fabs(std::max(0.0, net) - tally.worst_net(row.live)), 1e-6) << text;
  const double rms = std::sqrt(squares / double(c.columns));
  EXPECT_LE(std::fabs(quantity.rms_ratio - rms), 1e-6) << text;
  // The upper edge of a bin, but never above the worst.
  std::sort(ratios.begin(), ratios.end());
  const double p99 = ratios[size_t(std::ceil(0.99 * double(c.columns))) - 1];
  EXPECT_GE(quantity.p99_ratio, std::min(p99, worst) - 1e-6) << text;
  EXPECT_LE(quantity.p99_ratio, p99 + 1.0 / ShareCounts::kBins + 1e-6) << text;
}

TEST(SoftmaxStrips, AgreesWithTheCarefulWay) {
  Random random(6);
  int stripped = 0, others = 0;
  for (int round = 0; round < 600 && !::testing::Test::HasFailure(); ++round) {
    const std::string text = random_case(random);
    const Workload workload = made(text);
    const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
    Outputs outputs = exact_outputs(workload);
    const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
    const Tensor* mask = workload.find(Role::mask);
    const double much = std::array{0.0, 1e-7, 1e-6}[random.below(3)];
    for (int64_t r = 0; r < c.rows; ++r)
      for (int64_t column = 0; column < c.columns; ++column) {
        const int64_t index = y.index(0, 0, r, column);
        const double value = get(outputs, workload, Role::y, index);
        put(outputs, workload, Role::y, index, value * (1 + much * random.normal()));
      }
    oddtile_profile profile = fused_profile(c.dtype);
    profile.tile_columns = random.below(2) ? 16 : 0;
    if (random.below(8) == 0) profile.extra_frame_u = 1;
    const SoftmaxTensors tensors = tensors_of(workload, outputs);
    SoftmaxStrips strips(tensors, profile, c.dtype);
    std::vector<double> values(size_t(c.columns), 0.0);
    std::vector<uint8_t> visible(size_t(c.columns), uint8_t(1));
    SoftmaxRow row;
    SoftmaxBound bound;
    for (int64_t r = 0; r < c.rows; ++r) {
      read_row(stored_bytes(workload, x), x, 0, 0, r, values.data());
      for (int64_t i = 0; mask != nullptr && i < c.columns; ++i)
        visible[size_t(i)] = read_at<uint8_t>(tensors.mask_bytes, mask->index(0, 0, r, i));
      softmax_row(values, visible.data(), Precision::standard, row);
      bound_softmax(row, profile, c.dtype, bound);
      Tally tally;
      if (!strips.judge(r, tally)) {
        ++others;
        EXPECT_EQ(tally.judged(), 0) << text;
        continue;
      }
      ++stripped;
      ASSERT_EQ(row.row_class, RowClass::live) << text;
      EXPECT_EQ(strips.live(), row.live) << text;
      expect_the_same(workload, outputs, r, row, bound, profile, tally, text);
    }
  }
  EXPECT_GT(stripped, 400);
  EXPECT_GT(others, 100);
}

// What strips must leave to the careful way: classes, and elements at the line.
TEST(SoftmaxStrips, LeavesClassesAndTheLine) {
  const Workload workload = made("softmax rows=1 columns=600 values=noise mask=half");
  const Tensor& y = *workload.find(Role::y);
  const Tensor& mask = *workload.find(Role::mask);
  const oddtile_profile profile = fused_profile(oddtile_fp32);
  const Outputs exact = exact_outputs(workload);
  const auto judged_with = [&](int64_t column, double value) {
    Outputs outputs = exact;
    if (column >= 0) put(outputs, workload, Role::y, y.index(0, 0, 0, column), value);
    const SoftmaxTensors tensors = tensors_of(workload, outputs);
    Tally tally;
    return SoftmaxStrips(tensors, profile, oddtile_fp32).judge(0, tally);
  };
  const auto column_that_is = [&](bool visible) {
    for (int64_t c = 560;; ++c)
      if ((read_at<uint8_t>(stored_bytes(workload, mask), mask.index(0, 0, 0, c)) != 0) == visible)
        return c;
  };
  EXPECT_TRUE(judged_with(-1, 0));
  for (const double wrong : {-0.0, 1e-40, double(NAN)})
    EXPECT_FALSE(judged_with(column_that_is(false), wrong)) << wrong;
  for (const double wrong : {0.5, 0.0, double(NAN), double(INFINITY)})
    EXPECT_FALSE(judged_with(column_that_is(true), wrong)) << wrong;
}

// The larger net share lies in a later strip, whose ratios are all smaller.
TEST(SoftmaxStrips, TheWorstNetShareMayHaveASmallerRatio) {
  Workload workload = made("softmax rows=1 columns=1024 values=zeros");
  std::vector<double> values(1024, 0.0);
  std::fill(values.begin() + 512, values.end(), -60.0);
  for (Tensor& tensor : workload.tensors)
    for (int64_t c = 0; tensor.role == Role::x && c < 1024; ++c) {
      const auto x = float(values[size_t(c)]);
      std::memcpy(tensor.bytes.data() + 4 * tensor.index(0, 0, 0, c), &x, 4);
    }
  Outputs outputs = exact_outputs(workload);
  oddtile_profile profile = fused_profile(oddtile_fp32);
  profile.tile_columns = 0;
  profile.sum_lanes = 256;
  SoftmaxRow row;
  SoftmaxBound bound;
  softmax_row(values, nullptr, Precision::standard, row);
  bound_softmax(row, profile, oddtile_fp32, bound);
  const Tensor& y = *workload.find(Role::y);
  struct Share {
    double ratio, net;
  };
  const auto plant = [&](size_t column, double share) {
    const double p = row.weight[column], b = bound.error[column];
    const auto got = double(float(p + share * b));
    put(outputs, workload, Role::y, y.index(0, 0, 0, int64_t(column)), got);
    const double own = 0x1p-24 * p + subnormal_roundoff(oddtile_fp32) + weight_flush(profile);
    return Share{std::fabs(got - p) / b, (std::fabs(got - p) - own) / (b - own)};
  };
  const Share near = plant(0, 0.5);
  Share far = {1, 0};
  for (double share = near.ratio; far.ratio >= near.ratio; share -= 0.001) far = plant(600, share);
  ASSERT_GT(far.net, near.net + 1e-3);
  const SoftmaxTensors tensors = tensors_of(workload, outputs);
  SoftmaxStrips strips(tensors, profile, oddtile_fp32);
  Tally tally;
  ASSERT_TRUE(strips.judge(0, tally));
  EXPECT_LE(std::fabs(tally.worst_ratio() - near.ratio), 1e-6);
  EXPECT_LE(std::fabs(tally.worst_net(1024) - far.net), 1e-6);
}

// What lies where in memory must not decide how a number is computed: Eigen takes the ends of an
// array, as they happen to be aligned, with another exponential than the rest.
TEST(SoftmaxStrips, SameBitsWhereverTheBuffersLie) {
  for (const char* text : {"softmax rows=7 columns=15 values=integers mask=half",
                           "softmax rows=2 columns=1030 values=noise"}) {
    const Workload workload = made(text);
    const Outputs outputs = exact_outputs(workload);
    const SoftmaxTensors tensors = tensors_of(workload, outputs);
    const oddtile_profile profile = fused_profile(oddtile_fp32);
    // Kept, so that the next ones lie elsewhere.
    std::vector<std::vector<char>> between;
    std::deque<SoftmaxStrips> kept;
    Quantity first;
    for (size_t round = 0; round < 32; ++round) {
      between.emplace_back(8 + 16 * round);
      SoftmaxStrips& strips = kept.emplace_back(tensors, profile, oddtile_fp32);
      Tally tally;
      for (int64_t r = 0; r < workload.find(Role::y)->sizes[2]; ++r) strips.judge(r, tally);
      const Quantity now = tally.quantity(Role::y);
      if (round == 0) first = now;
      EXPECT_GT(now.rms_ratio, 0) << text;
      EXPECT_EQ(now.rms_ratio, first.rms_ratio) << text;
      EXPECT_EQ(now.signed_mean, first.signed_mean) << text;
      EXPECT_EQ(now.worst_ratio, first.worst_ratio) << text;
    }
  }
}

}  // namespace
}  // namespace oddtile::oracles
