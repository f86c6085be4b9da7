#include "oracles/case/case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracles/case/fields.h"

namespace oddtile::oracles {
namespace {

template <class Part>
std::string why(Part part) {
  return impossible({part});
}

TEST(Case, PlainCasesArePossible) {
  EXPECT_EQ(why(VectorAddCase{}), "");
  EXPECT_EQ(why(SoftmaxCase{}), "");
  EXPECT_EQ(why(AttentionCase{}), "");
}

// Text omits a field at its simplest value and shrinking goes there: it must be the plain one.
struct ExpectSimplest {
  void operator()(std::string_view name, int64_t& value, Domain domain) {
    EXPECT_EQ(value, domain.simplest) << name;
    EXPECT_LE(domain.lowest, domain.simplest) << name;
    EXPECT_LE(domain.simplest, domain.highest) << name;
  }
  void operator()(std::string_view, double& value) { EXPECT_EQ(value, 0.25); }
  template <class Enum>
  void operator()(std::string_view name, Enum& value, std::span<const std::string_view> names) {
    EXPECT_EQ(size_t(value), name == "dtype" && value == Enum(1) ? 1u : 0u) << name;
    EXPECT_FALSE(names.empty());
  }
};

TEST(Case, PlainIsSimplest) {
  for (Case plain : {Case{VectorAddCase{}}, Case{SoftmaxCase{}}, Case{AttentionCase{}}}) {
    for_each_field(plain, ExpectSimplest{});
  }
}

TEST(Case, EveryFieldHasItsDomain) {
  EXPECT_EQ(why(AttentionCase{.head_dim = 0}), "head_dim=0 is outside 1..256");
  EXPECT_EQ(why(AttentionCase{.head_dim = 257}), "head_dim=257 is outside 1..256");
  EXPECT_EQ(why(AttentionCase{.heads_kv = 0}), "heads_kv=0 is outside 1..1048576");
  EXPECT_EQ(why(AttentionCase{.group = 0}), "group=0 is outside 1..1024");
  EXPECT_EQ(why(AttentionCase{.batch = -1}), "batch=-1 is outside 0..1099511627776");
  EXPECT_EQ(why(VectorAddCase{.n = -1}), "n=-1 is outside 0..1099511627776");
  EXPECT_EQ(why(VectorAddCase{.x_offset = 64}), "x_offset=64 is outside 0..63");
  EXPECT_EQ(why(SoftmaxCase{.columns = (int64_t(1) << 31) + 1}),
            "columns=2147483649 is outside 0..2147483648");
  EXPECT_EQ(why(SoftmaxCase{.values = Values(99)}), "values=99 is no enumerator");
}

TEST(Case, ScaleIsAFiniteFloat) {
  EXPECT_EQ(why(AttentionCase{.scale = 0}), "");
  EXPECT_EQ(why(AttentionCase{.scale = -1e-30f}), "");
  EXPECT_EQ(why(AttentionCase{.scale = NAN}), "scale=nan is not finite");
  EXPECT_EQ(why(AttentionCase{.scale = 0.1}), "scale=0.1 is not a float value");
  EXPECT_EQ(why(AttentionCase{.scale = 1e300}), "scale=1e+300 is not a float value");
}

TEST(Case, OutputsHaveTheirOwnElements) {
  EXPECT_EQ(why(AttentionCase{.o_layout = Layout::broadcast}),
            "o_layout=broadcast is for inputs only");
  EXPECT_EQ(why(AttentionCase{.o_layout = Layout::reversed}),
            "o_layout=reversed is for inputs only");
  EXPECT_EQ(why(AttentionCase{.o_layout = Layout::sbhd}), "");
}

TEST(Case, AliasesShareTheirPlace) {
  EXPECT_EQ(why(VectorAddCase{.x_offset = 1, .out_offset = 1, .alias = Alias::x}), "");
  EXPECT_EQ(why(VectorAddCase{.y_offset = 1, .alias = Alias::y}),
            "out_offset=0 differs from y_offset=1 although out is y");
  EXPECT_EQ(why(SoftmaxCase{.alias = Alias::y}),
            "alias=y is not for softmax, whose only input is x");
  EXPECT_EQ(why(SoftmaxCase{.x_pad = 2, .alias = Alias::x}),
            "y_pad=0 differs from x_pad=2 although y is x");
  EXPECT_EQ(why(SoftmaxCase{.y_offset = 2, .alias = Alias::x}),
            "y_offset=2 differs from x_offset=0 although y is x");
  EXPECT_EQ(why(SoftmaxCase{.x_layout = RowLayout::reversed}), "");
  EXPECT_EQ(why(SoftmaxCase{.x_layout = RowLayout::reversed, .alias = Alias::x}),
            "x_layout=reversed although y is x");
}

TEST(Case, AttentionHasNoFp32AndNoInvertedSentinels) {
  EXPECT_EQ(why(AttentionCase{.dtype = oddtile_fp32}),
            "dtype=fp32 is not for attention: fp16 or bf16");
  EXPECT_EQ(why(AttentionCase{.band_low = kUnbounded}), "band_low=inf is not a lower limit");
  EXPECT_EQ(why(AttentionCase{.band_high = -kUnbounded}), "band_high=-inf is not an upper limit");
  EXPECT_EQ(why(AttentionCase{.band_low = 5, .band_high = 3}), "");  // sees nothing, legally
}

TEST(Case, NoTensorIsLargerThanMemoryCouldBe) {
  const int64_t longest = int64_t(1) << 40;
  EXPECT_EQ(why(VectorAddCase{.n = longest}), "");
  EXPECT_EQ(why(SoftmaxCase{.rows = longest, .columns = 2}),
            "rows makes a tensor of more than 2^40 elements");
  EXPECT_EQ(why(AttentionCase{.batch = longest,
                              .heads_kv = 1 << 20,
                              .group = 1 << 10,
                              .seq_q = longest,
                              .seq_k = longest,
                              .head_dim = 256,
                              .pad = 4096}),
            "seq_q makes a tensor of more than 2^40 elements");
  EXPECT_EQ(why(AttentionCase{.seq_q = 1 << 21, .seq_k = 1 << 21}), "");
  EXPECT_EQ(why(AttentionCase{.seq_q = 1 << 21, .seq_k = 1 << 21, .mask = MaskKind::half}),
            "mask makes a tensor of more than 2^40 elements");
  EXPECT_EQ(why(AttentionCase{.seq_q = 1 << 20, .seq_k = (1 << 20) - 7, .mask = MaskKind::half}),
            "");
  EXPECT_EQ(why(AttentionCase{.seq_q = 0, .seq_k = longest, .head_dim = 2}),
            "seq_k makes a tensor of more than 2^40 elements");
}

}  // namespace
}  // namespace oddtile::oracles
