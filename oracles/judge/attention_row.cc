#include "oracles/judge/attention_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/bounds/rounding.h"
#include "oracles/exact/read.h"

namespace oddtile::oracles {
namespace {

using Kind = Expectation::Kind;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

AttentionRowJudge::AttentionRowJudge(const Evidence& evidence)
    : evidence_(evidence),
      oracle_(evidence.workload),
      o_index_(evidence.workload.index_of(Role::o)),
      lse_index_(evidence.workload.index_of(Role::lse)),
      o_bytes_(evidence.after(o_index_)) {
  if (lse_index_ >= 0) lse_bytes_ = evidence.after(lse_index_);
}

void AttentionRowJudge::read(const RowPlace& at, RowScratch& s) const {
  s.got.resize(size_t(oracle_.subject().head_dim));
  const Tensor& o = evidence_.workload.tensors[size_t(o_index_)];
  read_row(o_bytes_, o, at.b, at.head, at.i, s.got.data());
  if (lse_index_ < 0) return;
  const Tensor& lse = evidence_.workload.tensors[size_t(lse_index_)];
  s.got_lse = load_number(lse_bytes_, lse.element, lse.index(0, at.b, at.head, at.i));
}

void AttentionRowJudge::judge(const KeysAndValues& kv, const RowPlace& at, RowScratch& s,
                              AttentionChunk& chunk) const {
  const AttentionCase& c = oracle_.subject();
  oracle_.row(kv, at.b, at.head, at.i, Precision::standard, s.row);
  // A NaN row is NaN whatever overflows besides; a row without visible keys has no scores.
  if (s.row.row_class != RowClass::nan && s.row.visible > 0 && !in_domain(s.row, c.scale)) {
    chunk.o.skip(c.head_dim);
    if (lse_index_ >= 0) chunk.lse.skip(1);
    chunk.skipped_rows += s.row.row_class == RowClass::live;
    return;
  }
  if (s.row.row_class == RowClass::live) return judge_live(kv, at, s, chunk);
  read(at, s);
  tally(at, s, chunk);
}

void AttentionRowJudge::judge_live(const KeysAndValues& kv, const RowPlace& at, RowScratch& s,
                                   AttentionChunk& chunk) const {
  const AttentionCase& c = oracle_.subject();
  const auto bound = [&] {
    bound_attention(s.row, kv, c.scale, evidence_.profile, c.dtype, s.bound);
  };
  read(at, s);
  bound();
  if (near_the_line(s)) {
    oracle_.row(kv, at.b, at.head, at.i, Precision::wide, s.row);
    bound();
    chunk.escalated += c.head_dim;
  }
  // A row with a single live key is known exactly.
  if (s.row.keys.size() > 1) {
    ++chunk.bounded_rows;
    count_edges(kv, at, s, chunk);
  }
  tally(at, s, chunk);
}

bool AttentionRowJudge::near_the_line(const RowScratch& s) const {
  const Uncertainty own = uncertainty(s.row, s.bound);
  const auto near = [](double got, double exact, double bound, double share) {
    // From 1/2 on double says nothing (and is NaN where its errors are infinite).
    if (!(share < 0.5)) return true;
    return bound < kNever && std::fabs(std::fabs(got - exact) - bound) <= share * bound;
  };
  if (lse_index_ >= 0 && near(s.got_lse, s.row.lse, s.bound.lse, own.lse)) return true;
  for (size_t c = 0; c < s.got.size(); ++c)
    if (near(s.got[c], s.row.o[c], s.bound.o[c], own.o)) return true;
  return false;
}

void AttentionRowJudge::count_edges(const KeysAndValues& kv, const RowPlace& at,
                                    const RowScratch& s, AttentionChunk& chunk) const {
  const AttentionRow& row = s.row;
  const int64_t diagonal = at.i + oracle_.shift(at.b);
  const double lse = lse_index_ >= 0 ? s.bound.lse : kNever;
  int64_t edges = 0, seen = 0;
  for (size_t j = 0; j < row.keys.size(); ++j) {
    const int64_t key = row.keys[j];
    if (!is_edge(key, row.keys.front(), row.keys.back(), diagonal)) continue;
    ++edges;
    seen += visible(row.weight[j], &kv.v[size_t(key * kv.head_dim)], row.o.data(), s.bound.o, lse);
  }
  chunk.edge_keys += edges;
  chunk.visible_edge_keys += seen;
  chunk.perhaps_visible_edge_keys += seen;
}

void AttentionRowJudge::tally(const RowPlace& at, const RowScratch& s,
                              AttentionChunk& chunk) const {
  const AttentionCase& c = oracle_.subject();
  const bool bounded = s.row.row_class == RowClass::live && s.row.keys.size() > 1;
  const double overflow = overflow_threshold(c.dtype);
  const int64_t live = int64_t(s.row.keys.size());
  for (int64_t x = 0; x < c.head_dim; ++x) {
    Expectation expected;
    const char* law = "within_bound";
    if (!expect(s, x, expected, law)) {
      chunk.o.skip(1);
      continue;
    }
    const double got = s.got[size_t(x)];
    chunk.o.add(compare(got, expected, overflow), got, expected, {at.b, at.head, at.i, x}, law);
    if (!bounded || expected.kind != Kind::number) continue;
    const double size = std::fabs(expected.exact), rounding = unit_roundoff(c.dtype) * size;
    ++chunk.fully_bounded;
    chunk.o.zero_output(size / expected.bound);
    chunk.perhaps_zero_factor = std::max(chunk.perhaps_zero_factor, size / expected.bound);
    chunk.o.net(got, expected, rounding + subnormal_roundoff(c.dtype), live);
  }
  if (lse_index_ < 0) return;
  tally_lse(at, s, chunk);
}

void AttentionRowJudge::tally_lse(const RowPlace& at, const RowScratch& s,
                                  AttentionChunk& chunk) const {
  Expectation expected{Kind::number, s.row.lse, s.bound.lse};
  const char* law = "within_bound";
  if (s.row.row_class != RowClass::live) {
    const bool nan = s.row.row_class == RowClass::nan;
    expected = {nan ? Kind::nan : Kind::exactly, nan ? kNan : -kNever, 0};
    law = nan ? "special_value" : "dead_row";
  }
  chunk.lse.add(compare(s.got_lse, expected, overflow_threshold(oddtile_fp32)), s.got_lse, expected,
                {at.b, at.head, at.i, 0}, law);
  const int64_t live = int64_t(s.row.keys.size());
  if (s.row.row_class == RowClass::live && live > 1)
    chunk.lse.net(s.got_lse, expected, kU * std::fabs(s.row.lse), live);
}

// False: nothing is promised for this column.
bool AttentionRowJudge::expect(const RowScratch& s, int64_t x, Expectation& expected,
                               const char*& law) const {
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

}  // namespace oddtile::oracles
