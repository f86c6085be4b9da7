// The first oracle, in both precisions, against the second, which was written independently.
#include "oracles/exact/materialised.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"
#include "oracles/case/text.h"
#include "oracles/exact/attention.h"
#include "oracles/exact/read.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Same class, and the same number up to double's own error against `size`.
void expect_close(double a, double b, double size, const std::string& where) {
  if (std::isnan(b)) {
    EXPECT_TRUE(std::isnan(a)) << where;
  } else if (std::isinf(b)) {
    EXPECT_EQ(a, b) << where;
  } else {
    EXPECT_LE(std::fabs(a - b), size * 0x1p-44 + 1e-300) << where << ": " << a << " against " << b;
  }
}

Workload made(const std::string& text) {
  const auto parsed = parse(text);
  if (const auto* error = std::get_if<TextError>(&parsed)) ADD_FAILURE() << error->message;
  return materialise(std::get<Case>(parsed), Poison::nan);
}

std::string random_attention(Random& random) {
  static const char* const anchors[] = {"top_left", "bottom_right"};
  std::string text = "attention dtype=" + std::string(random.below(2) ? "fp16" : "bf16");
  const auto field = [&](const char* name, int64_t low, int64_t high) {
    text += " " + std::string(name) + "=" + std::to_string(random.between(low, high));
  };
  field("batch", 1, 2);
  field("heads_kv", 1, 2);
  field("group", 1, 3);
  field("seq_q", 0, 7);
  field("seq_k", 0, 12);
  field("head_dim", 1, 9);
  field("seed", 0, 1 << 30);
  if (random.below(2)) field("band_high", -3, 6);
  if (random.below(2)) field("band_low", -6, 3);
  const auto choose = [&](const char* name, auto values) {
    text +=
        " " + std::string(name) + "=" + std::string(values[random.below(uint32_t(values.size()))]);
  };
  text += std::string(" anchor=") + anchors[random.below(2)];
  choose("lengths", names(KeyLengths::none));
  choose("mask", names(MaskKind::none));
  choose("scores", names(Scores::noise));
  choose("contents", names(Contents::noise));
  choose("k_layout", names(Layout::bhsd));
  text += " scale=" + std::string(std::array{"0.5", "-0.25", "0", "3"}[random.below(4)]);
  return text;
}

// Returns the number of live rows that were compared.
int compare_attention(const Workload& workload, const std::string& text) {
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const MaterialisedAttention second = materialised_attention(workload);
  const AttentionOracle oracle(workload);
  AttentionRow row;
  size_t at = 0;
  int live_rows = 0;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads_q(); ++h) {
      const KeysAndValues kv = oracle.load(b, h / c.group);
      for (int64_t i = 0; i < c.seq_q; ++i, ++at) {
        for (const Precision precision : {Precision::standard, Precision::wide}) {
          oracle.row(kv, b, h, i, precision, row);
          const bool nan = row.row_class == RowClass::nan;
          const bool live = row.row_class == RowClass::live;
          live_rows += live;
          double largest = 1;
          for (const double magnitude : row.magnitude) largest = std::max(largest, magnitude);
          expect_close(nan ? kNan : live ? row.lse : -kInfinity, second.lse[at], largest, text);
          for (int64_t x = 0; x < c.head_dim; ++x) {
            if (!row.column.empty() && row.column[size_t(x)] != 0) continue;
            expect_close(nan ? kNan : row.o[size_t(x)],
                         second.o[at * size_t(c.head_dim) + size_t(x)],
                         largest * std::max(1.0, kv.v_max), text);
          }
        }
      }
    }
  return live_rows;
}

TEST(ExactAttention, AgreesWithTheSecondOracle) {
  Random random(7);
  int live_rows = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_attention(random);
    live_rows += compare_attention(made(text), text);
    if (HasFailure()) break;
  }
  EXPECT_GT(live_rows, 1000);
}

TEST(ExactSoftmax, AgreesWithTheSecondOracle) {
  Random random(8);
  for (int round = 0; round < 400; ++round) {
    std::string text = "softmax rows=" + std::to_string(random.below(4)) +
                       " columns=" + std::to_string(random.below(40)) +
                       " seed=" + std::to_string(random.below(1 << 30)) + " dtype=";
    text += std::array{"fp32", "fp16", "bf16"}[random.below(3)];
    const auto masks = names(MaskKind::none);
    const auto values = names(Values::noise);
    text += " mask=" + std::string(masks[random.below(uint32_t(masks.size()))]);
    text += " values=" + std::string(values[random.below(uint32_t(values.size()))]);
    text += std::array{" x_pad=1", " x_layout=broadcast", " x_layout=reversed"}[random.below(3)];
    const Workload workload = made(text);
    const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
    const std::vector<double> second = materialised_softmax(workload);
    const Tensor &x = *workload.find(Role::x), *mask = workload.find(Role::mask);
    std::vector<double> values_of_row(size_t(c.columns), 0.0);
    std::vector<uint8_t> bytes(size_t(c.columns), uint8_t(1));
    SoftmaxRow row;
    for (int64_t r = 0; r < c.rows; ++r) {
      read_row(stored_bytes(workload, x), x, 0, 0, r, values_of_row.data());
      for (int64_t i = 0; mask != nullptr && i < c.columns; ++i)
        bytes[size_t(i)] = read_at<uint8_t>(stored_bytes(workload, *mask), mask->index(0, 0, r, i));
      softmax_row(values_of_row, bytes.data(), Precision::standard, row);
      for (int64_t i = 0; i < c.columns; ++i) {
        const bool nan = row.row_class == RowClass::nan && bytes[size_t(i)];
        expect_close(nan ? kNan : row.weight[size_t(i)], second[size_t(r * c.columns + i)], 1000,
                     text);
      }
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace oddtile::oracles
