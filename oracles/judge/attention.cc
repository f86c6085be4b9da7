// Attention: classes of special values first, O per column and LSE per row within their bounds, and
// the power of the case: whether dropping an edge key would be seen.
#include "oracles/bounds/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/bounds/rounding.h"
#include "oracles/case/parallel.h"
#include "oracles/exact/attention.h"
#include "oracles/exact/read.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

using Kind = Expectation::Kind;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Chunk {
  Tally o, lse;
  int64_t bounded_rows = 0, skipped_rows = 0, edge_keys = 0, visible_edge_keys = 0, escalated = 0;
  int64_t fully_bounded = 0;
};

// Buffers of one thread, reused from row to row.
struct Scratch {
  std::vector<double> got;
  double got_lse = 0;
  AttentionRow row;
  AttentionBound bound;
};

// Rows of one (batch, kv head), a range of the chosen rows.
struct Group {
  int64_t b = 0, kv_head = 0;
  size_t first = 0, last = 0;
};

class AttentionJudge {
 public:
  explicit AttentionJudge(const Evidence& evidence)
      : evidence_(evidence),
        oracle_(evidence.workload),
        o_index_(evidence.workload.index_of(Role::o)),
        lse_index_(evidence.workload.index_of(Role::lse)),
        o_bytes_(evidence.after(o_index_)) {
    if (lse_index_ >= 0) lse_bytes_ = evidence.after(lse_index_);
    const AttentionCase& c = oracle_.subject();
    rows_ = sampled_rows(c.batch * c.heads_q() * c.seq_q, std::max<int64_t>(c.seq_q, 1),
                         evidence.profile.tile_rows, evidence.sampling);
  }

  Outcome run() const {
    std::vector<Group> groups = grouped();
    const AttentionCase& c = oracle_.subject();
    const int64_t row_work = 4 * c.seq_k * c.head_dim;
    const bool many = groups.size() >= 8;
    std::vector<Chunk> chunks;
    if (many) {
      chunks.resize(groups.size());
      parallel_for(int64_t(groups.size()), 1, int64_t(rows_.size()) * row_work,
                   [&](int64_t g, int64_t) {
                     const Group& group = groups[size_t(g)];
                     const KeysAndValues kv = oracle_.load(group.b, group.kv_head);
                     judge_rows(kv, group.first, group.last, chunks[size_t(g)]);
                   });
    } else {
      for (const Group& group : groups) judge_group(group, row_work, chunks);
    }
    return merged(chunks);
  }

 private:
  std::vector<Group> grouped() const {
    const AttentionCase& c = oracle_.subject();
    std::vector<Group> groups;
    for (size_t at = 0; at < rows_.size(); ++at) {
      const int64_t head = rows_[at] / c.seq_q;
      const int64_t b = head / c.heads_q(), kv_head = head % c.heads_q() / c.group;
      if (groups.empty() || groups.back().b != b || groups.back().kv_head != kv_head)
        groups.push_back({b, kv_head, at, at});
      groups.back().last = at + 1;
    }
    return groups;
  }

  void judge_group(const Group& group, int64_t row_work, std::vector<Chunk>& chunks) const {
    const KeysAndValues kv = oracle_.load(group.b, group.kv_head);
    const int64_t count = int64_t(group.last - group.first);
    const int64_t grain = std::max<int64_t>(1, count / 64);
    const size_t before = chunks.size();
    chunks.resize(before + size_t(ceil_div(count, grain)));
    parallel_for(count, grain, count * row_work, [&](int64_t begin, int64_t end) {
      judge_rows(kv, group.first + size_t(begin), group.first + size_t(end),
                 chunks[before + size_t(begin / grain)]);
    });
  }

  void judge_rows(const KeysAndValues& kv, size_t first, size_t last, Chunk& chunk) const {
    Scratch scratch;
    const AttentionCase& c = oracle_.subject();
    for (size_t at = first; at < last; ++at) {
      const int64_t head = rows_[at] / c.seq_q;
      judge_row(kv, head / c.heads_q(), head % c.heads_q(), rows_[at] % c.seq_q, scratch, chunk);
    }
  }

  void judge_row(const KeysAndValues& kv, int64_t b, int64_t h, int64_t i, Scratch& s,
                 Chunk& chunk) const {
    const AttentionCase& c = oracle_.subject();
    const Tensor& o = evidence_.workload.tensors[size_t(o_index_)];
    s.got.resize(size_t(c.head_dim));
    read_row(o_bytes_, o, b, h, i, s.got.data());
    if (lse_index_ >= 0) {
      const Tensor& lse = evidence_.workload.tensors[size_t(lse_index_)];
      s.got_lse = load_number(lse_bytes_, lse.element, lse.index(0, b, h, i));
    }
    oracle_.row(kv, b, h, i, Precision::standard, s.row);
    // A NaN row is NaN whatever overflows besides; a row without visible keys has no scores.
    if (s.row.row_class != RowClass::nan && s.row.visible > 0 && !in_domain(s.row, c.scale)) {
      chunk.o.skip(c.head_dim);
      if (lse_index_ >= 0) chunk.lse.skip(1);
      chunk.skipped_rows += s.row.row_class == RowClass::live;
      return;
    }
    if (s.row.row_class == RowClass::live) {
      bound(kv, s);
      if (near_the_line(s)) {
        oracle_.row(kv, b, h, i, Precision::wide, s.row);
        bound(kv, s);
        chunk.escalated += c.head_dim;
      }
      // A row with a single live key is known exactly.
      if (s.row.keys.size() > 1) {
        ++chunk.bounded_rows;
        count_edges(kv, b, i, s, chunk);
      }
    }
    tally_row(b, h, i, s, chunk);
  }

  void bound(const KeysAndValues& kv, Scratch& s) const {
    const AttentionCase& c = oracle_.subject();
    bound_attention(s.row, kv, c.scale, evidence_.profile, c.dtype, s.bound);
  }

  // Double's own error shifts a ratio by less than 2^-20 (1 + max E): README.md of oracles/exact.
  bool near_the_line(const Scratch& s) const {
    const double window = std::min(0.5, kEscalationWindow * (1 + s.bound.weights.log_error_max));
    const auto near = [window](double got, double exact, double bound) {
      return bound < kNever && std::fabs(std::fabs(got - exact) - bound) <= window * bound;
    };
    if (lse_index_ >= 0 && near(s.got_lse, s.row.lse, s.bound.lse)) return true;
    for (size_t c = 0; c < s.got.size(); ++c)
      if (near(s.got[c], s.row.o[c], s.bound.o[c])) return true;
    return false;
  }

  void count_edges(const KeysAndValues& kv, int64_t b, int64_t i, const Scratch& s,
                   Chunk& chunk) const {
    const int64_t tile = evidence_.profile.tile_columns;
    const int64_t diagonal = i + oracle_.shift(b);
    const int64_t last = int64_t(s.row.keys.size()) - 1;
    for (int64_t j = 0; j <= last; ++j) {
      const int64_t key = s.row.keys[size_t(j)];
      const bool tile_edge = tile > 0 && (key % tile == 0 || key % tile == tile - 1);
      if (j != 0 && j != last && key != diagonal && !tile_edge) continue;
      ++chunk.edge_keys;
      chunk.visible_edge_keys += visibility(s.row, kv, s.bound, j, lse_index_ >= 0) > 2;
    }
  }

  void tally_row(int64_t b, int64_t h, int64_t i, const Scratch& s, Chunk& chunk) const {
    const AttentionCase& c = oracle_.subject();
    const bool bounded = s.row.row_class == RowClass::live && s.row.keys.size() > 1;
    const double overflow = overflow_threshold(c.dtype);
    for (int64_t x = 0; x < c.head_dim; ++x) {
      Expectation expected;
      const char* law = "within_bound";
      if (!expect(s, x, expected, law)) {
        chunk.o.skip(1);
        continue;
      }
      const double got = s.got[size_t(x)];
      chunk.o.add(compare(got, expected, overflow), got, expected, {b, h, i, x}, law);
      if (!bounded || expected.kind != Kind::number) continue;
      const double size = std::fabs(expected.exact);
      ++chunk.fully_bounded;
      chunk.o.zero_output(size / expected.bound);
      chunk.o.net(got, expected, unit_roundoff(c.dtype) * size + subnormal_roundoff(c.dtype),
                  int64_t(s.row.keys.size()));
    }
    if (lse_index_ < 0) return;
    Expectation expected{Kind::number, s.row.lse, s.bound.lse};
    const char* law = "within_bound";
    if (s.row.row_class != RowClass::live) {
      const bool nan = s.row.row_class == RowClass::nan;
      expected = {nan ? Kind::nan : Kind::exactly, nan ? kNan : -kNever, 0};
      law = nan ? "special_value" : "dead_row";
    }
    chunk.lse.add(compare(s.got_lse, expected, overflow_threshold(oddtile_fp32)), s.got_lse,
                  expected, {b, h, i, 0}, law);
    if (bounded)
      chunk.lse.net(s.got_lse, expected, kU * std::fabs(s.row.lse), int64_t(s.row.keys.size()));
  }

  // False: nothing is promised for this column.
  bool expect(const Scratch& s, int64_t x, Expectation& expected, const char*& law) const {
    const uint8_t bits = s.row.column.empty() ? 0 : s.row.column[size_t(x)];
    if (s.row.row_class == RowClass::nan) {
      law = "special_value";
      expected = {Kind::nan, kNan, 0};
      return true;
    }
    constexpr uint8_t both = kLivePlusInfinity | kLiveMinusInfinity;
    if ((bits & kLiveNan) || (bits & both) == both) {
      law = "special_value";
      expected = {Kind::nan, kNan, 0};
      return true;
    }
    if (bits & both) {
      law = "special_value";
      expected = {Kind::infinity_or_nan, bits & kLivePlusInfinity ? kNever : -kNever, 0};
      return true;
    }
    if (bits & kDeadNonFinite) return false;
    if (s.row.row_class == RowClass::empty) {
      law = "dead_row";
      expected = {Kind::positive_zero, 0, 0};
      return true;
    }
    expected = {Kind::number, s.row.o[size_t(x)], s.bound.o[size_t(x)]};
    return in_domain(s.row, x);
  }

  Outcome merged(const std::vector<Chunk>& chunks) const {
    Outcome outcome;
    outcome.parts.push_back({Role::o, {}});
    if (lse_index_ >= 0) outcome.parts.push_back({Role::lse, {}});
    for (const Chunk& chunk : chunks) {
      outcome.parts[0].tally.merge(chunk.o);
      if (lse_index_ >= 0) outcome.parts[1].tally.merge(chunk.lse);
      outcome.bounded_rows += chunk.bounded_rows;
      outcome.skipped_rows += chunk.skipped_rows;
      outcome.edge_keys += chunk.edge_keys;
      outcome.visible_edge_keys += chunk.visible_edge_keys;
      outcome.escalated += chunk.escalated;
      outcome.fully_bounded += chunk.fully_bounded;
    }
    return outcome;
  }

  const Evidence& evidence_;
  AttentionOracle oracle_;
  int o_index_, lse_index_;
  std::span<const std::byte> o_bytes_, lse_bytes_;
  std::vector<int64_t> rows_;
};

}  // namespace

Outcome judge_attention(const Evidence& evidence) {
  return AttentionJudge(evidence).run();
}

}  // namespace oddtile::oracles
