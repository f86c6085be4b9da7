#include "oracles/judge/attention_worst.h"

#include <cmath>

#include "oracles/bounds/rounding.h"

namespace oddtile::oracles {
namespace {

// An accepted element lies inside its lower estimate by that share: more than what double's own
// error moves (checked per row) and what the estimates' own arithmetic rounds.
constexpr double kMargin = 0x1p-9;

// From above, the share net of the output's own rounding.
double net(double error, double lower, double rounding) {
  const double over = error - rounding;
  if (over <= 0) return 0;
  return lower > rounding ? over / (lower - rounding) : kNever;
}

}  // namespace

void add(const AttentionChunk& part, AttentionChunk& whole) {
  whole.o.merge(part.o);
  whole.lse.merge(part.lse);
  whole.bounded_rows += part.bounded_rows;
  whole.skipped_rows += part.skipped_rows;
  whole.edge_keys += part.edge_keys;
  whole.visible_edge_keys += part.visible_edge_keys;
  whole.perhaps_visible_edge_keys += part.perhaps_visible_edge_keys;
  whole.perhaps_zero_factor = std::max(whole.perhaps_zero_factor, part.perhaps_zero_factor);
  whole.escalated += part.escalated;
  whole.fully_bounded += part.fully_bounded;
}

double worst_known(const AttentionChunk& chunk, int measure, int64_t live) {
  const Tally& tally = measure % 2 == 0 ? chunk.o : chunk.lse;
  return measure < 2 ? tally.worst_ratio() : tally.worst_net(live);
}

const KeyTerms& AttentionAcceptor::key_terms(const AttentionBlock& block, int64_t r) {
  const BlockRow& row = block.row(r);
  const bool all = row.live == row.keys.end - row.keys.begin;
  const bool same = all && int64_t(keys_.size()) == row.live && keys_.front() == row.keys.begin &&
                    keys_.back() == row.keys.end - 1;
  if (same) return terms_;
  keys_.clear();
  for (int64_t j = row.keys.begin; j < row.keys.end; ++j)
    if (all || block.live(r, j)) keys_.push_back(j);
  return terms_ = KeyTerms(keys_, rows_.profile());
}

bool AttentionAcceptor::within(const AttentionBlock& block, int64_t r) {
  if (!estimate_.valid) return false;
  const Uncertainty& own = estimate_.uncertainty;
  if (!(own.o < kMargin / 2 && own.lse < kMargin / 2)) return false;
  const double* o = block.o(r);
  bool inside = true;
  for (size_t c = 0; c < scratch_.got.size(); ++c)
    inside &= std::fabs(scratch_.got[c] - o[c]) <= estimate_.lower[c] * (1 - kMargin);
  if (!rows_.has_lse()) return inside;
  const double error = std::fabs(scratch_.got_lse - block.row(r).lse);
  return inside && error <= estimate_.lse_lower * (1 - kMargin);
}

bool AttentionAcceptor::accept(const AttentionBlock& block, int64_t r, const RowPlace& at,
                               Candidate& candidate, AttentionChunk& chunk) {
  const BlockRow& row = block.row(r);
  if (!row.plain) return false;
  const AttentionCase& c = rows_.oracle().subject();
  const KeyTerms& terms = key_terms(block, r);
  estimate_attention(row, block.o(r), block.size(r), operands_.v_largest, terms, c.scale,
                     rows_.profile(), c.dtype, estimate_);
  rows_.read(at, scratch_);
  if (!within(block, r)) return false;
  ++chunk.bounded_rows;
  candidate.live = row.live;
  count(block, r, candidate, chunk);
  count_edges(block, r, at, chunk);
  return true;
}

void AttentionAcceptor::count(const AttentionBlock& block, int64_t r, Candidate& candidate,
                              AttentionChunk& chunk) {
  const oddtile_dtype dtype = rows_.oracle().subject().dtype;
  const double u_o = unit_roundoff(dtype), eta_o = subnormal_roundoff(dtype);
  const double* o = block.o(r);
  double zero = 0;
  for (size_t c = 0; c < scratch_.got.size(); ++c) {
    const double error = scratch_.got[c] - o[c], size = std::fabs(o[c]);
    const double lower = estimate_.lower[c], share = error / lower;
    chunk.o.accept(share);
    candidate.may[0] = std::max(candidate.may[0], std::fabs(share));
    candidate.may[2] = std::max(candidate.may[2], net(std::fabs(error), lower, u_o * size + eta_o));
    zero = std::max(zero, size / estimate_.upper[c]);
    chunk.perhaps_zero_factor = std::max(chunk.perhaps_zero_factor, size / lower);
  }
  chunk.o.zero_output(zero);
  chunk.o.net_drawn(candidate.live);
  if (!rows_.has_lse()) return;
  const double lse = block.row(r).lse, error = scratch_.got_lse - lse;
  chunk.lse.net_drawn(candidate.live);
  chunk.lse.accept(error / estimate_.lse_lower);
  candidate.may[1] = std::fabs(error) / estimate_.lse_lower;
  candidate.may[3] = net(std::fabs(error), estimate_.lse_lower, kU * std::fabs(lse));
}

void AttentionAcceptor::count_edges(const AttentionBlock& block, int64_t r, const RowPlace& at,
                                    AttentionChunk& chunk) const {
  const int64_t diagonal = at.i + rows_.oracle().shift(at.b);
  const int64_t d = operands_.kv.head_dim;
  const double upper = rows_.has_lse() ? estimate_.lse_upper : kNever;
  const double lower = rows_.has_lse() ? estimate_.lse_lower : kNever;
  for (const int64_t key : keys_) {
    if (!rows_.is_edge(key, keys_.front(), keys_.back(), diagonal)) continue;
    ++chunk.edge_keys;
    const double p = block.unscaled_weight(r, key) / block.row(r).sum;
    const double* v = &operands_.kv.v[size_t(key * d)];
    const bool sure = visible(p, v, block.o(r), estimate_.upper, upper);
    chunk.visible_edge_keys += sure;
    chunk.perhaps_visible_edge_keys += sure || visible(p, v, block.o(r), estimate_.lower, lower);
  }
}

}  // namespace oddtile::oracles
