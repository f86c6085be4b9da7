#include "oracles/judge/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/random.h"
#include "oracles/bounds/rounding.h"
#include "oracles/bounds/statistical.h"
#include "oracles/exact/read.h"

namespace oddtile::oracles {
namespace {

constexpr int64_t kMostRows = 64, kMostHeads = 4;  // each head costs reading its K and V
constexpr double kDelta = 1e-9;  // of a false alarm, per case: a campaign judges millions
constexpr double kLargeZ = 6;

// Mean error of each row, in units of its bound: rows are the clusters, since the columns of a row
// share its weights.
class Clusters {
 public:
  void add(double mean) {
    ++count_;
    sum_ += mean;
    squares_ += mean * mean;
  }
  // Mean over its standard error; 0 where there are too few rows to tell.
  double z() const {
    if (count_ < 8) return 0;
    const double mean = sum_ / double(count_);
    const double variance = (squares_ - sum_ * mean) / double(count_ - 1);
    return variance > 0 ? mean / std::sqrt(variance / double(count_)) : 0;
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0, squares_ = 0;
};

class Suspect {
 public:
  explicit Suspect(const Evidence& evidence)
      : evidence_(evidence),
        oracle_(evidence.workload),
        c_(oracle_.subject()),
        o_index_(evidence.workload.index_of(Role::o)),
        lse_index_(evidence.workload.index_of(Role::lse)) {}

  Suspicion run() {
    const int64_t heads = c_.batch * c_.heads_q();
    const int64_t judged = std::min(heads * c_.seq_q, evidence_.sampling.rows_at_most);
    const int64_t rows = suspicion_rows(judged);
    if (rows == 0 || c_.seq_k < kFewestKeys) return {};
    lambda_ = hoeffding_factor(rows * (c_.head_dim + 1), kDelta);
    const int64_t chosen = std::min({heads, kMostHeads, rows});
    const uint64_t seed = evidence_.sampling.seed ^ evidence_.workload.subject.seed;
    for (const int64_t head : sampled_rows(heads, heads, 0, {chosen, seed})) {
      if (suspicion_.rows >= rows) break;
      const int64_t b = head / c_.heads_q(), h = head % c_.heads_q();
      const KeysAndValues kv = oracle_.load(b, h / c_.group);
      const Sampling few = {std::max<int64_t>(2, rows / chosen), seed + uint64_t(head)};
      for (const int64_t i : sampled_rows(c_.seq_q, c_.seq_q, 0, few)) judge_row(kv, b, h, i);
    }
    suspicion_.z_o = o_.z();
    suspicion_.z_lse = lse_.z();
    return suspicion_;
  }

 private:
  void judge_row(const KeysAndValues& kv, int64_t b, int64_t h, int64_t i) {
    oracle_.row(kv, b, h, i, Precision::standard, row_);
    if (row_.row_class != RowClass::live || !in_domain(row_, c_.scale)) return;
    if (int64_t(row_.keys.size()) < kFewestKeys) return;
    bound_attention(row_, kv, c_.scale, evidence_.profile, c_.dtype, bound_);
    statistical_bound(row_, kv, evidence_.profile, c_.dtype, bound_, lambda_, statistical_);
    ++suspicion_.rows;
    got_.resize(size_t(c_.head_dim));
    read_row(evidence_.after(o_index_), evidence_.workload.tensors[size_t(o_index_)], b, h, i,
             got_.data());
    double sum = 0;
    int64_t counted = 0;
    for (int64_t x = 0; x < c_.head_dim; ++x) {
      const double o = row_.o[size_t(x)];
      if (!row_.column.empty() && row_.column[size_t(x)] != 0) continue;
      if (!in_domain(row_, x)) continue;
      look(Role::o, {b, h, i, x}, got_[size_t(x)], o, statistical_.o[size_t(x)]);
      if (!std::isfinite(got_[size_t(x)]) || !(bound_.o[size_t(x)] < kNever)) continue;
      // Away from 0 or towards it: what truncates shrinks.
      sum += (got_[size_t(x)] - o) / bound_.o[size_t(x)] * (o < 0 ? -1 : 1);
      ++counted;
    }
    if (counted > 0) o_.add(sum / double(counted));
    if (lse_index_ < 0) return;
    const Tensor& lse = evidence_.workload.tensors[size_t(lse_index_)];
    const double got = load_number(evidence_.after(lse_index_), lse.element, lse.index(0, b, h, i));
    look(Role::lse, {b, h, i, 0}, got, row_.lse, statistical_.lse);
    if (std::isfinite(got)) lse_.add((got - row_.lse) / bound_.lse);
  }

  void look(Role role, const std::array<int64_t, 4>& index, double got, double exact,
            double bound) {
    ++suspicion_.elements;
    if (!std::isfinite(got)) return;  // classes are the rigorous form's business
    const double ratio = bound > 0 ? std::fabs(got - exact) / bound : 0;
    suspicion_.exceeding += ratio > 1;
    if (!(ratio > suspicion_.worst_ratio)) return;
    suspicion_.role = role;
    suspicion_.worst_ratio = ratio;
    std::copy(index.begin(), index.end(), suspicion_.worst_index);
    suspicion_.got = got;
    suspicion_.exact = exact;
    suspicion_.bound = bound;
  }

  const Evidence& evidence_;
  AttentionOracle oracle_;
  const AttentionCase& c_;
  int o_index_, lse_index_;
  double lambda_ = 0;
  AttentionRow row_;
  AttentionBound bound_;
  StatisticalBound statistical_;
  std::vector<double> got_;
  Clusters o_, lse_;
  Suspicion suspicion_;
};

}  // namespace

int64_t suspicion_rows(int64_t rows) {
  const int64_t share = rows / 64;
  return share < 2 ? 0 : std::min(share, kMostRows);
}

Suspicion suspect(const Evidence& evidence) {
  if (evidence.workload.subject.kernel() != oddtile_kernel_attention) return {};
  return Suspect(evidence).run();
}

std::string explain_suspicion(const Suspicion& s) {
  if (!(s.worst_ratio > 1)) return {};
  const std::string element =
      s.role == Role::lse ? "" : fmt::format(", element {}", s.worst_index[3]);
  std::string text = fmt::format(
      "suspect: {}[batch {}, head {}, query {}{}]: got {:.9g}, exact {:.9g} within {:.3g} if "
      "errors "
      "were independent, ratio {:.4g}, law statistical_form; {} of {} sampled elements\n",
      role_name(s.role), s.worst_index[0], s.worst_index[1], s.worst_index[2], element, s.got,
      s.exact, s.bound, s.worst_ratio, s.exceeding, s.elements);
  const auto sign = [&](const char* what, double z) {
    if (std::fabs(z) > kLargeZ)
      text += fmt::format("suspect: errors of {} have a sign, z = {:.1f} over {} rows\n", what, z,
                          s.rows);
  };
  sign("o (away from 0)", s.z_o);
  sign("lse", s.z_lse);
  return text;
}

}  // namespace oddtile::oracles
