#include "oracles/judge/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "oracles/bounds/rounding.h"
#include "oracles/bounds/statistical.h"
#include "oracles/case/parallel.h"
#include "oracles/exact/attention_block.h"
#include "oracles/exact/read.h"
#include "oracles/judge/attention_row.h"

namespace oddtile::oracles {
namespace {

constexpr int64_t kMostRows = 64, kMostHeads = 4;  // each head costs reading its K and V
// A block of rows is one thread's; fewer rows would read K and V for too little.
constexpr int64_t kRowsOfBlock = 16;
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

// What one row of the sample says.
struct RowFinding {
  Suspicion found;  // of its elements
  // Mean error in units of the bound, where there is one to speak of.
  std::optional<double> mean_o, mean_lse;
};

// Buffers of one thread, reused from block to block.
struct SampleScratch {
  AttentionBlock block;
  AttentionRow row;
  AttentionBound bound;
  StatisticalBound statistical;
  std::vector<double> got;
};

void look(Role role, const std::array<int64_t, 4>& index, double got, double exact, double bound,
          Suspicion& found) {
  ++found.elements;
  if (!std::isfinite(got)) return;  // classes are the rigorous form's business
  const double ratio = bound > 0 ? std::fabs(got - exact) / bound : 0;
  found.exceeding += ratio > 1;
  if (!(ratio > found.worst_ratio)) return;
  found.role = role;
  found.worst_ratio = ratio;
  std::copy(index.begin(), index.end(), found.worst_index);
  found.got = got;
  found.exact = exact;
  found.bound = bound;
}

void add(const Suspicion& row, Suspicion& whole) {
  Suspicion sum = row.worst_ratio > whole.worst_ratio ? row : whole;
  sum.rows = whole.rows + row.rows;
  sum.elements = whole.elements + row.elements;
  sum.exceeding = whole.exceeding + row.exceeding;
  whole = sum;
}

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
      const Sampling few = {std::max<int64_t>(2, rows / chosen), seed + uint64_t(head)};
      look_at_head(head / c_.heads_q(), head % c_.heads_q(),
                   sampled_rows(c_.seq_q, c_.seq_q, 0, few));
    }
    suspicion_.z_o = o_.z();
    suspicion_.z_lse = lse_.z();
    return suspicion_;
  }

 private:
  // Blocks of rows on all threads, added up in the order of the rows.
  void look_at_head(int64_t b, int64_t h, const std::vector<int64_t>& chosen) {
    const KeysAndValues kv = oracle_.load(b, h / c_.group);
    const BlockOperands operands(kv, false);
    std::vector<RowId> rows;
    for (const int64_t i : chosen) rows.push_back({h, i});
    std::vector<RowFinding> findings(rows.size());
    const auto count = int64_t(rows.size());
    const int64_t grain = std::min(AttentionBlock::rows_at_once(kv.keys), kRowsOfBlock);
    parallel_for(count, grain, count * 4 * kv.keys * c_.head_dim, [&](int64_t begin, int64_t end) {
      thread_local SampleScratch s;
      const auto some = std::span<const RowId>(rows).subspan(size_t(begin), size_t(end - begin));
      s.block.compute(oracle_, operands, b, some, false);
      for (int64_t r = begin; r < end; ++r)
        look_at_row(kv, {b, h, rows[size_t(r)].i}, r - begin, s, findings[size_t(r)]);
    });
    for (const RowFinding& finding : findings) {
      add(finding.found, suspicion_);
      if (finding.mean_o) o_.add(*finding.mean_o);
      if (finding.mean_lse) lse_.add(*finding.mean_lse);
    }
  }

  // Row r of the scratch's block.
  void look_at_row(const KeysAndValues& kv, const RowPlace& at, int64_t r, SampleScratch& s,
                   RowFinding& finding) const {
    if (s.block.row(r).plain)
      s.block.fill(r, s.row);
    else
      oracle_.row(kv, at.b, at.head, at.i, Precision::standard, s.row);
    if (s.row.row_class != RowClass::live || !in_domain(s.row, c_.scale)) return;
    if (int64_t(s.row.keys.size()) < kFewestKeys) return;
    bound_attention(s.row, kv, c_.scale, evidence_.profile, c_.dtype, s.bound);
    statistical_bound(s.row, kv, evidence_.profile, c_.dtype, s.bound, lambda_, s.statistical);
    finding.found.rows = 1;
    look_at_o(at, s, finding);
    if (lse_index_ >= 0) look_at_lse(at, s, finding);
  }

  void look_at_o(const RowPlace& at, SampleScratch& s, RowFinding& finding) const {
    s.got.resize(size_t(c_.head_dim));
    read_row(evidence_.after(o_index_), evidence_.workload.tensors[size_t(o_index_)], at.b, at.head,
             at.i, s.got.data());
    double sum = 0;
    int64_t counted = 0;
    for (int64_t x = 0; x < c_.head_dim; ++x) {
      const double got = s.got[size_t(x)], o = s.row.o[size_t(x)];
      const double bound = s.bound.o[size_t(x)];
      if (!s.row.column.empty() && s.row.column[size_t(x)] != 0) continue;
      if (!in_domain(s.row, x)) continue;
      look(Role::o, {at.b, at.head, at.i, x}, got, o, s.statistical.o[size_t(x)], finding.found);
      if (!std::isfinite(got) || !(bound < kNever)) continue;
      // Away from 0 or towards it: what truncates shrinks.
      sum += (got - o) / bound * (o < 0 ? -1 : 1);
      ++counted;
    }
    if (counted > 0) finding.mean_o = sum / double(counted);
  }

  void look_at_lse(const RowPlace& at, SampleScratch& s, RowFinding& finding) const {
    const Tensor& lse = evidence_.workload.tensors[size_t(lse_index_)];
    const double got =
        load_number(evidence_.after(lse_index_), lse.element, lse.index(0, at.b, at.head, at.i));
    look(Role::lse, {at.b, at.head, at.i, 0}, got, s.row.lse, s.statistical.lse, finding.found);
    if (std::isfinite(got)) finding.mean_lse = (got - s.row.lse) / s.bound.lse;
  }

  const Evidence& evidence_;
  AttentionOracle oracle_;
  const AttentionCase& c_;
  int o_index_, lse_index_;
  double lambda_ = 0;
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
