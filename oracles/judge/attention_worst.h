// Accepting rows of attention by estimates of their bounds, and finding the worst element although
// its bound is not known: rows in the order of what their worst may be, until no other can exceed
// what was found. Private to oracles/judge.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/assert.h"
#include "oracles/bounds/attention_estimate.h"
#include "oracles/exact/attention_block.h"
#include "oracles/judge/attention_row.h"

namespace oddtile::oracles {

void add(const AttentionChunk& part, AttentionChunk& whole);

// From above, what an accepted row may be worst in: ratio of O, of LSE (-1: there is none), net
// share of O, of LSE.
struct Candidate {
  RowId id;
  int64_t live = 0;
  bool resolved = false;
  double may[4] = {0, -1, 0, 0};
};
// The same of what was computed in full; -1: nothing yet.
double worst_known(const AttentionChunk& chunk, int measure, int64_t live);

class AttentionAcceptor {
 public:
  AttentionAcceptor(const AttentionRowJudge& rows, const BlockOperands& operands)
      : rows_(rows), operands_(operands) {}

  // False: some bound of this row is needed in full, and nothing was counted.
  bool accept(const AttentionBlock& block, int64_t r, const RowPlace& at, Candidate& candidate,
              AttentionChunk& chunk);

 private:
  const KeyTerms& key_terms(const AttentionBlock& block, int64_t r);
  bool within(const AttentionBlock& block, int64_t r);
  void count(const AttentionBlock& block, int64_t r, Candidate& candidate, AttentionChunk& chunk);
  void count_edges(const AttentionBlock& block, int64_t r, const RowPlace& at,
                   AttentionChunk& chunk) const;

  const AttentionRowJudge& rows_;
  const BlockOperands& operands_;
  AttentionEstimate estimate_;
  RowScratch scratch_;
  // Of the last row's keys: neighbours often have the same.
  KeyTerms terms_;
  std::vector<int64_t> keys_;
};

// judge(rows, chunk) computes rows in full.
template <class Judge>
void resolve_worst(std::vector<Candidate>& candidates, AttentionChunk& whole, const Judge& judge) {
  constexpr size_t kAtOnce = 16;
  std::vector<Candidate*> order;
  for (Candidate& candidate : candidates) order.push_back(&candidate);
  for (int measure = 0; measure < 4; ++measure) {
    std::stable_sort(order.begin(), order.end(), [&](const Candidate* a, const Candidate* b) {
      return a->may[measure] > b->may[measure];
    });
    std::vector<RowId> rows;
    for (size_t at = 0; at <= order.size(); ++at) {
      if (at == order.size() || rows.size() == kAtOnce) {
        AttentionChunk full;
        judge(std::span<const RowId>(rows), full);
        // A row inside a lower estimate of its bounds is inside its bounds.
        ODDTILE_ASSERT(full.o.failed() + full.lse.failed() == 0);
        whole.o.merge_worst(full.o);
        whole.lse.merge_worst(full.lse);
        whole.fully_bounded += full.fully_bounded;
        whole.escalated += full.escalated;
        rows.clear();
      }
      if (at == order.size()) break;
      Candidate& next = *order[at];
      if (next.resolved || next.may[measure] <= worst_known(whole, measure, next.live)) continue;
      next.resolved = true;
      rows.push_back(next.id);
    }
  }
}

}  // namespace oddtile::oracles
