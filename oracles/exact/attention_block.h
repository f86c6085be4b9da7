// The exact attention of many rows of one (batch, kv head) at once: scores and outputs as matrix
// products in double. What a block says of a row is what attention_row() says, summed in another
// order; README.md has the errors of both. Rows that need more than finite arithmetic (a special
// value, sums near the end of the range, fewer than two live keys) are left to attention_row().
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracles/exact/attention.h"

namespace oddtile::oracles {

inline constexpr double kNoScore = std::numeric_limits<double>::infinity();  // negated: hidden

// One (batch, kv head) in the forms that the products want.
class BlockOperands {
 public:
  // `estimates`: |k| (at least smallest_normal, as A_j takes it) and |v| in fp32 (exactly, since
  // the elements are 16-bit numbers), else |k|.
  BlockOperands(const KeysAndValues& kv, bool estimates);

  const KeysAndValues& kv;
  bool plain = true;              // V is finite and its sums are far from overflow
  double k_max = 0;               // of the finite |k|
  std::vector<int64_t> bad_keys;  // ascending: with an element of k that is not finite
  std::vector<double> k_abs;      // |k|
  std::vector<float> k_size;      // |k|, 0 in bad keys
  std::vector<float> v_size;      // |v|
  std::vector<double> v_largest;  // max |v| per column
};

struct RowId {
  int64_t head = 0;
  int64_t i = 0;
};

// What a row's block says beyond its weights. Sums are over live keys, p their weights.
struct BlockRow {
  bool plain = false;  // false: nothing of this row was computed
  KeyRange keys;       // visible before the byte mask
  int64_t live = 0;
  double max = 0;
  double sum = 0;
  double log_sum = 0;
  double lse = 0;
  // Of the estimates: sum p |s - m|, sum p |s|, max |s - m|; and A_j in fp32 arithmetic, which
  // errs by magnitude_error() of itself.
  double mean_offset = 0;
  double mean_score = 0;
  double largest_offset = 0;
  double mean_magnitude = 0;
  double least_magnitude = 0;
  double largest_magnitude = 0;
};

// Relative error of a sum of k non-negative fp32 terms in fp32, in any order; products round once.
double fp32_sum_error(int64_t k);

class AttentionBlock {
 public:
  // Rows for which a block of keys stays in the cache.
  static int64_t rows_at_once(int64_t keys);

  // Computes `rows` of batch b. Estimates (A_j as sums, sum p |v| in fp32) are for rows that a
  // cheap bound may decide; without them A_j is computed in double, for fill().
  void compute(const AttentionOracle& oracle, const BlockOperands& operands, int64_t b,
               std::span<const RowId> rows, bool estimates);

  const BlockRow& row(int64_t r) const { return rows_[size_t(r)]; }
  const double* o(int64_t r) const { return &o_[size_t(r * head_dim_)]; }
  const float* size(int64_t r) const { return &size_[size_t(r * head_dim_)]; }  // l sum p |v|
  bool live(int64_t r, int64_t key) const { return scores_[at(r, key)] > -kNoScore; }
  // p_j l of a key in row(r).keys; 0 where hidden.
  double unscaled_weight(int64_t r, int64_t key) const { return weights_[at(r, key)]; }

  // Without estimates: the row as attention_row() would have left it.
  void fill(int64_t r, AttentionRow& out) const;

 private:
  size_t at(int64_t r, int64_t key) const { return size_t(r * width_ + key - first_); }
  void prepare(const AttentionOracle& oracle, const BlockOperands& operands, int64_t b,
               std::span<const RowId> rows);
  // Scales row r and hides what is not visible. Counts its live keys; false: not a plain row.
  bool hide(const AttentionOracle& oracle, const BlockOperands& operands, int64_t b, RowId id,
            int64_t r);
  void exponentials(int64_t r);

  int64_t head_dim_ = 0, first_ = 0, width_ = 0;
  double scale_ = 0;
  bool estimates_ = false;
  std::vector<BlockRow> rows_;
  std::vector<double> q_, q_abs_;  // rows x head_dim; 0 where the row is not plain
  std::vector<double> scores_;     // rows x width: s_j, -inf where hidden
  std::vector<double> weights_;    // rows x width: exp(s_j - m), 0 where hidden
  std::vector<double> products_;   // rows x width: sum |q k|
  std::vector<double> o_;          // rows x head_dim
  std::vector<float> q_size_, products_fp32_, weights_fp32_, size_;
  std::vector<uint8_t> mask_;
};

}  // namespace oddtile::oracles
