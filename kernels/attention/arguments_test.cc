// The scale as kernels get it, and which problems are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/attention/parameters.h"

namespace oddtile {
namespace {

constexpr double kLog2E = 1.4426950408889634074;

TEST(SplitScale, product_is_the_scale_for_every_finite_float) {
  for (const float scale : {1.0f, 0.125f, -0.125f, 1e-20f, -1e-20f, 1e-30f, 0x1p-149f, -0x1.8p-140f,
                            1e30f, -1e30f, 3.4028235e38f, -3.4028235e38f}) {
    const ScoreScale split = split_scale(scale);
    EXPECT_TRUE(std::isnormal(split.c)) << scale;
    EXPECT_GT(split.c, 0.0f);
    int exponent = 0;
    EXPECT_EQ(std::fabs(std::frexp(split.multiplier, &exponent)), 0.5f) << "a power of two";
    const double product = double(split.multiplier) * split.c / kLog2E;
    EXPECT_LE(std::fabs(product - scale), 0x1p-23 * std::fabs(scale)) << scale;
  }
}

TEST(SplitScale, zero_keeps_the_class_of_an_infinite_score) {
  for (const float zero : {0.0f, -0.0f}) {
    const ScoreScale split = split_scale(zero);
    EXPECT_EQ(split.multiplier, 0.0f);
    EXPECT_EQ(split.c, 1.0f);
  }
}

class CheckAttention : public testing::Test {
 protected:
  CheckAttention() {
    problem.dtype = oddtile_fp16;
    problem.batch = 2;
    problem.heads_q = 4;
    problem.heads_kv = 2;
    problem.seq_q = 3;
    problem.seq_k = 5;
    problem.head_dim = 8;
    problem.scale = 0.5f;
    problem.q = {memory.data(), 4 * 3 * 8, 3 * 8, 8};
    problem.k = {memory.data() + 1024, 2 * 5 * 8, 5 * 8, 8};
    problem.v = {memory.data() + 2048, 2 * 5 * 8, 5 * 8, 8};
    problem.o = {memory.data() + 3072, 4 * 3 * 8, 3 * 8, 8};
    problem.band_low = INT64_MIN;
    problem.band_high = INT64_MAX;
  }

  std::vector<uint16_t> memory = std::vector<uint16_t>(8192);
  oddtile_attention_problem problem = {};
};

TEST_F(CheckAttention, accepts_strides_of_every_nested_layout) {
  EXPECT_EQ(check_attention(problem), oddtile_ok);
  problem.o = {memory.data() + 3072, 3 * 4 * 8, 8, 4 * 8};  // (batch, row, head)
  EXPECT_EQ(check_attention(problem), oddtile_ok);
  problem.k.head_stride = 0;
  problem.v = {memory.data() + 2600, 2 * 5 * 8, 5 * 8, -8};
  EXPECT_EQ(check_attention(problem), oddtile_ok) << "inputs may repeat and run backwards";
}

TEST_F(CheckAttention, refuses_outputs_that_overlap_themselves) {
  for (const int64_t row_stride : {int64_t(0), int64_t(7), int64_t(-8)}) {
    problem.o.row_stride = row_stride;
    EXPECT_EQ(check_attention(problem), oddtile_bad_stride) << row_stride;
  }
  problem.o.row_stride = 8;
  problem.o.head_stride = 2 * 8;  // row 2 of head 0 is row 0 of head 1
  EXPECT_EQ(check_attention(problem), oddtile_bad_stride);
}

TEST_F(CheckAttention, refuses_outputs_that_overlap_an_input) {
  for (oddtile_tensor* input : {&problem.q, &problem.k, &problem.v}) {
    void* const own = input->data;
    input->data = static_cast<uint16_t*>(problem.o.data) + 191;  // the last element of o
    EXPECT_EQ(check_attention(problem), oddtile_overlap);
    input->data = static_cast<uint16_t*>(problem.o.data) + 192;
    EXPECT_EQ(check_attention(problem), oddtile_ok);
    input->data = own;
  }
}

TEST_F(CheckAttention, refuses_sizes_whose_addresses_overflow) {
  problem.q.row_stride = INT64_MAX / 2;
  EXPECT_EQ(check_attention(problem), oddtile_bad_shape);
}

TEST_F(CheckAttention, without_outputs_nothing_is_required) {
  problem.seq_q = 0;
  problem.q.data = problem.o.data = nullptr;
  EXPECT_EQ(check_attention(problem), oddtile_ok);
}

}  // namespace
}  // namespace oddtile
