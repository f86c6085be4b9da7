// The exact attention forward of one row, from the contract in kernels/api/kernels.h and nothing
// else: own visibility, own classes of special values. In double with a bound of its own error, or
// in 50 decimal digits for the rows whose verdict could depend on that error (README.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/case/workload.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles {

// What special values in V decide about an output column, as bits.
enum ColumnBits : uint8_t {
  kLiveNan = 1,
  kLivePlusInfinity = 2,
  kLiveMinusInfinity = 4,
  kDeadNonFinite = 8,  // a key of this row that is not live: 0 * NaN, not judged
};

// K and V of one (batch, kv head), dense, rows of head_dim. Non-finite elements of V stand as 0 in
// `v`, and as bits of ColumnBits (as if live) in `v_special`, which is empty where there is none.
struct KeysAndValues {
  int64_t keys = 0;
  int64_t head_dim = 0;
  double v_max = 0;  // of the finite |v|
  // Matrix units align a product by the sum of its operands' exponents, and a subnormal operand
  // has that of the smallest normal number: A_j takes it for that large.
  double smallest_normal = 0;  // of the elements' type; 0: A_j as its formula says
  bool k_subnormal = false;    // some element of k is
  std::vector<double> k;
  std::vector<double> v;
  std::vector<uint8_t> v_special;
  std::vector<int64_t> special_keys;  // ascending: keys with a bit in v_special
};

// Double's own error, from a row's numbers (README.md): |computed - exact| of p_j is at most
// weight * p_j, of LSE lse, of a column of O (2 weight + value) sum p |v|.
struct DoubleErrors {
  double weight = 0;
  double lse = 0;
  double value = 0;
};
// Of a row with `live` keys, the largest A_j, m, ln l and LSE.
DoubleErrors double_errors(int64_t head_dim, int64_t live, double largest_magnitude, double max,
                           double log_sum, double lse);

struct AttentionRow {
  RowClass row_class = RowClass::empty;
  int64_t visible = 0;
  std::vector<int64_t> keys;        // the live ones, ascending
  std::vector<double> offset;       // s_j - m, per live key
  std::vector<double> magnitude;    // A_j = |scale| sum |q k|, per live key; see smallest_normal
  std::vector<double> weight;       // p_j, per live key
  double max = 0;                   // m
  double sum = 0;                   // l
  double log_sum = 0;               // ln l
  double lse = 0;                   // m + ln l
  double largest_products = 0;      // over visible keys: the finite part of sum |q k|
  std::vector<double> o;            // head_dim numbers, V's non-finite elements taken as 0
  std::vector<uint8_t> column;      // ColumnBits per column; empty: none anywhere
  std::vector<double> v_magnitude;  // sum |v| over visible keys; empty where surely below 2^119
  DoubleErrors errors;              // all 0 in 50 digits
};

// Whether one of x[0..n) is not 0 and smaller than `smallest_normal`.
bool any_subnormal(const double* x, int64_t n, double smallest_normal);

// The row whose query is `q` and whose visible keys are `visible`, ascending. Reuses out's buffers.
void attention_row(const KeysAndValues& kv, std::span<const double> q, double scale,
                   std::span<const int64_t> visible, Precision precision, AttentionRow& out);

struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

class AttentionOracle {
 public:
  explicit AttentionOracle(const Workload& workload);

  // Visible keys of row i of batch b before the byte mask: key length and band make an interval.
  KeyRange range(int64_t b, int64_t i) const;
  int64_t shift(int64_t b) const;  // of the band's anchor

  // The byte mask over `keys` of row i; false (and nothing written) where the case has none.
  bool mask(int64_t b, int64_t head, int64_t i, KeyRange keys, uint8_t* out) const;
  void query(int64_t b, int64_t head, int64_t i, double* out) const;

  KeysAndValues load(int64_t b, int64_t kv_head) const;
  void row(const KeysAndValues& keys, int64_t b, int64_t head, int64_t i, Precision precision,
           AttentionRow& out) const;

  const AttentionCase& subject() const { return subject_; }

 private:
  const Workload& workload_;
  const AttentionCase& subject_;
  const Tensor* q_;
  const Tensor* mask_;           // nullptr: none
  std::vector<int64_t> length_;  // per batch, clamped
};

}  // namespace oddtile::oracles
