#include "reports/measure/amounts.h"

#include <gtest/gtest.h>

#include "oracles/case/text.h"

namespace oddtile::reports {
namespace {

oracles::Case parsed(const char* text) {
  const auto result = oracles::parse(text);
  const auto* subject = std::get_if<oracles::Case>(&result);
  EXPECT_NE(subject, nullptr) << text;
  return subject != nullptr ? *subject : oracles::Case{};
}

Traffic least(const char* text, int64_t granule) {
  return least_traffic(oracles::materialise(parsed(text), oracles::Poison::nan), granule);
}

TEST(Amounts, a_causal_square_has_half_the_pairs_and_the_diagonal) {
  const auto full = parsed("attention dtype=bf16 seq_q=8 seq_k=8 head_dim=16");
  const auto causal = parsed("attention dtype=bf16 seq_q=8 seq_k=8 head_dim=16 band_high=0");
  EXPECT_EQ(flops(full), 4 * 16 * 64);
  EXPECT_EQ(flops(causal), 4 * 16 * 36);
  EXPECT_EQ(series(full), "attention bf16 d16 full");
  EXPECT_EQ(series(causal), "attention bf16 d16 causal");
}

TEST(Amounts, finite_limits_near_the_sentinels_hide_nothing) {
  const auto wide = parsed(
      "attention dtype=bf16 seq_q=8 seq_k=8 head_dim=16 band_low=-9223372036854775806 "
      "band_high=9223372036854775806");
  EXPECT_EQ(flops(wide), 4 * 16 * 64);
  const auto beyond =
      parsed("attention dtype=bf16 seq_q=8 seq_k=8 head_dim=16 band_low=9223372036854775806");
  EXPECT_EQ(flops(beyond), 0);
}

TEST(Amounts, what_a_mask_or_a_length_hides_is_not_counted) {
  const char* shape = "attention seq_q=8 seq_k=8 head_dim=16";
  for (const char* more : {"", " band_high=0", " mask=all", " lengths=full"}) {
    EXPECT_TRUE(counts_all_hidden(parsed((shape + std::string(more)).c_str()))) << more;
  }
  for (const char* more : {" mask=half", " lengths=mixed"}) {
    EXPECT_FALSE(counts_all_hidden(parsed((shape + std::string(more)).c_str()))) << more;
  }
  EXPECT_TRUE(counts_all_hidden(parsed("softmax columns=9 mask=half")));
}

TEST(Amounts, attention_reads_each_visible_key_once) {
  // 2 heads of q, 1 of k and v; 4 queries, 10 keys; o and lse written.
  const char* text = "attention group=2 seq_q=4 seq_k=10 head_dim=16 scores=noise contents=noise";
  EXPECT_EQ(least(text, 1).read, 2 * 4 * 16 * 2 + 2 * 10 * 16 * 2);
  EXPECT_EQ(least(text, 1).written, 2 * 4 * 16 * 2 + 2 * 4 * 4);
  // Top-left causal with more keys than queries: keys 4..9 are hidden from everybody.
  const char* causal =
      "attention group=2 seq_q=4 seq_k=10 head_dim=16 band_high=0 scores=noise contents=noise";
  EXPECT_EQ(least(causal, 1).read, 2 * 4 * 16 * 2 + 2 * 4 * 16 * 2);
}

TEST(Amounts, masked_elements_need_not_move_but_their_sector_may) {
  EXPECT_EQ(least("vector_add n=64", 1).total(), 3 * 64 * 4);
  EXPECT_EQ(least("vector_add n=64 mask=all", 1).total(), 3 * 64 * 4 + 64);
  EXPECT_EQ(least("vector_add n=64 mask=nothing", 32).total(), 64);
  EXPECT_EQ(least("vector_add n=64 mask=checkerboard", 1).total(), 3 * 32 * 4 + 64);
  EXPECT_EQ(least("vector_add n=64 mask=checkerboard", 32).total(), 3 * 64 * 4 + 64);
}

TEST(Amounts, softmax_reads_and_writes_once) {
  EXPECT_EQ(least("softmax rows=3 columns=5 dtype=bf16", 1).read, 30);
  EXPECT_EQ(least("softmax rows=3 columns=5 dtype=bf16", 1).written, 30);
  EXPECT_EQ(series(parsed("softmax rows=3 columns=5 dtype=bf16")), "softmax bf16");
}

}  // namespace
}  // namespace oddtile::reports
