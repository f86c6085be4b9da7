// Attention: rows in blocks on all cores. Either every bound in full, or most rows accepted by an
// estimate of their bounds and only the others, and those that may hold the worst element, in full
// (README.md, "Effort").
#include "oracles/bounds/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/bits.h"
#include "oracles/bounds/attention_estimate.h"
#include "oracles/case/parallel.h"
#include "oracles/exact/attention_block.h"
#include "oracles/judge/attention_row.h"
#include "oracles/judge/attention_worst.h"

namespace oddtile::oracles {
namespace {

// Up to that many keys bounds in full cost less than what estimates need besides.
constexpr int64_t kFullKeys = 256;
constexpr int64_t kSharedWork = 1 << 19;  // from which on parallel_for() takes more threads

// Rows of one (batch, kv head), a range of the chosen rows.
struct Group {
  int64_t b = 0, kv_head = 0;
  size_t first = 0, last = 0;
};

class AttentionJudge {
 public:
  AttentionJudge(const Evidence& evidence, Effort effort) : rows_(evidence) {
    const AttentionCase& c = rows_.oracle().subject();
    chosen_ = sampled_rows(c.batch * c.heads_q() * c.seq_q, std::max<int64_t>(c.seq_q, 1),
                           evidence.profile.tile_rows, evidence.sampling);
    estimates_ = effort == Effort::enough && c.seq_k > kFullKeys;
  }

  // Many groups: one each for the threads. Few: the rows of each go to all threads.
  AttentionChunk run() const {
    const std::vector<Group> groups = grouped();
    const AttentionCase& c = rows_.oracle().subject();
    const int64_t row_work = 4 * c.seq_k * c.head_dim;
    const bool many = groups.size() >= 8;
    std::vector<AttentionChunk> chunks(groups.size());
    const auto judge = [&](int64_t g, int64_t work) {
      const Group& group = groups[size_t(g)];
      const KeysAndValues kv = rows_.oracle().load(group.b, group.kv_head);
      judge_group(kv, group, work, chunks[size_t(g)]);
    };
    if (many)
      parallel_for(int64_t(groups.size()), 1, int64_t(chosen_.size()) * row_work,
                   [&](int64_t g, int64_t) { judge(g, 0); });
    else
      for (size_t g = 0; g < groups.size(); ++g) judge(int64_t(g), row_work);
    AttentionChunk whole;
    for (const AttentionChunk& chunk : chunks) add(chunk, whole);
    return whole;
  }

  bool estimates() const { return estimates_; }
  bool has_lse() const { return rows_.has_lse(); }

 private:
  std::vector<Group> grouped() const {
    const AttentionCase& c = rows_.oracle().subject();
    std::vector<Group> groups;
    for (size_t at = 0; at < chosen_.size(); ++at) {
      const int64_t head = chosen_[at] / c.seq_q;
      const int64_t b = head / c.heads_q(), kv_head = head % c.heads_q() / c.group;
      if (groups.empty() || groups.back().b != b || groups.back().kv_head != kv_head)
        groups.push_back({b, kv_head, at, at});
      groups.back().last = at + 1;
    }
    return groups;
  }

  RowId id(size_t at) const {
    const AttentionCase& c = rows_.oracle().subject();
    return {chosen_[at] / c.seq_q % c.heads_q(), chosen_[at] % c.seq_q};
  }

  void judge_group(const KeysAndValues& kv, const Group& group, int64_t row_work,
                   AttentionChunk& whole) const {
    std::vector<RowId> rows;
    for (size_t at = group.first; at < group.last; ++at) rows.push_back(id(at));
    if (!estimates_) {
      const BlockOperands operands(kv, false);
      return judge_in_full(operands, group.b, rows, row_work, whole);
    }
    std::vector<Candidate> candidates;
    {
      const BlockOperands operands(kv, true);
      rows = accept(operands, group.b, rows, row_work, candidates, whole);
    }
    // What was not accepted, then what may be the worst element although it was.
    const BlockOperands operands(kv, false);
    judge_in_full(operands, group.b, rows, row_work, whole);
    resolve_worst(candidates, whole, [&](std::span<const RowId> worst, AttentionChunk& full) {
      judge_in_full(operands, group.b, worst, row_work, full);
    });
  }

  // Pieces of the rows on all threads, added up in order.
  template <class Part, class Body>
  std::vector<Part> in_blocks(int64_t keys, std::span<const RowId> rows, int64_t row_work,
                              const Body& body) const {
    const int64_t count = int64_t(rows.size());
    // A block is worth its width only where every thread has one. Little work is one thread's.
    const int64_t most = AttentionBlock::rows_at_once(keys);
    const bool shared = count * row_work >= kSharedWork;
    const int64_t grain = shared ? std::clamp<int64_t>(count / 8, 4, most) : most;
    std::vector<Part> parts(size_t(ceil_div(count, grain)));
    parallel_for(count, grain, count * row_work, [&](int64_t begin, int64_t end) {
      body(rows.subspan(size_t(begin), size_t(end - begin)), parts[size_t(begin / grain)]);
    });
    return parts;
  }

  void judge_in_full(const BlockOperands& operands, int64_t b, std::span<const RowId> rows,
                     int64_t row_work, AttentionChunk& whole) const {
    const auto parts = in_blocks<AttentionChunk>(
        operands.kv.keys, rows, row_work, [&](std::span<const RowId> some, AttentionChunk& chunk) {
          thread_local AttentionBlock block;
          thread_local RowScratch scratch;
          block.compute(rows_.oracle(), operands, b, some, false);
          for (size_t r = 0; r < some.size(); ++r) {
            const RowPlace at = {b, some[r].head, some[r].i};
            if (!block.row(int64_t(r)).plain) {
              rows_.judge(operands.kv, at, scratch, chunk);
              continue;
            }
            block.fill(int64_t(r), scratch.row);
            rows_.judge_live(operands.kv, at, scratch, chunk);
          }
        });
    for (const AttentionChunk& part : parts) add(part, whole);
  }

  struct Accepted {
    AttentionChunk chunk;
    std::vector<Candidate> candidates;
    std::vector<RowId> open;
  };

  // Accepts rows by estimates; returns those that it could not.
  std::vector<RowId> accept(const BlockOperands& operands, int64_t b, std::span<const RowId> rows,
                            int64_t row_work, std::vector<Candidate>& candidates,
                            AttentionChunk& whole) const {
    const auto parts = in_blocks<Accepted>(
        operands.kv.keys, rows, row_work, [&](std::span<const RowId> some, Accepted& part) {
          thread_local AttentionBlock block;
          AttentionAcceptor acceptor(rows_, operands);
          block.compute(rows_.oracle(), operands, b, some, true);
          for (size_t r = 0; r < some.size(); ++r) {
            Candidate candidate;
            candidate.id = some[r];
            if (acceptor.accept(block, int64_t(r), {b, some[r].head, some[r].i}, candidate,
                                part.chunk))
              part.candidates.push_back(candidate);
            else
              part.open.push_back(some[r]);
          }
        });
    std::vector<RowId> open;
    for (const Accepted& part : parts) {
      add(part.chunk, whole);
      candidates.insert(candidates.end(), part.candidates.begin(), part.candidates.end());
      open.insert(open.end(), part.open.begin(), part.open.end());
    }
    return open;
  }

  AttentionRowJudge rows_;
  std::vector<int64_t> chosen_;
  bool estimates_ = false;
};

// Estimates leave open whether the case is vacuous: it is between the two counts.
bool undecided(const AttentionChunk& whole) {
  if (whole.o.failed() + whole.lse.failed() > 0 || whole.bounded_rows == 0) return false;
  const auto half = [&](int64_t seen) { return 2 * seen >= whole.edge_keys; };
  return half(whole.visible_edge_keys) != half(whole.perhaps_visible_edge_keys) ||
         (whole.o.zero_factor() > 1) != (whole.perhaps_zero_factor > 1);
}

}  // namespace

Outcome judge_attention(const Evidence& evidence) {
  const AttentionJudge judge(evidence, evidence.sampling.effort);
  AttentionChunk whole = judge.run();
  if (judge.estimates() && undecided(whole)) whole = AttentionJudge(evidence, Effort::full).run();
  Outcome outcome;
  outcome.parts.push_back({Role::o, whole.o});
  if (judge.has_lse()) outcome.parts.push_back({Role::lse, whole.lse});
  outcome.bounded_rows = whole.bounded_rows;
  outcome.skipped_rows = whole.skipped_rows;
  outcome.edge_keys = whole.edge_keys;
  outcome.visible_edge_keys = whole.visible_edge_keys;
  outcome.escalated = whole.escalated;
  outcome.fully_bounded = whole.fully_bounded;
  return outcome;
}

}  // namespace oddtile::oracles
