// Judging one row of attention whose every bound is computed in full. Private to oracles/judge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/bounds/attention.h"
#include "oracles/exact/attention.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {

// What a range of rows adds up to.
struct AttentionChunk {
  Tally o, lse;
  int64_t bounded_rows = 0, skipped_rows = 0;
  // Edge keys that are visible for sure, and that may be: the same where bounds are full.
  int64_t edge_keys = 0, visible_edge_keys = 0, perhaps_visible_edge_keys = 0;
  double perhaps_zero_factor = 0;  // from above: what an all-zero output may have had
  int64_t escalated = 0, fully_bounded = 0;
};

// Buffers of one thread, reused from row to row.
struct RowScratch {
  std::vector<double> got;
  double got_lse = 0;
  AttentionRow row;
  AttentionBound bound;
};

struct RowPlace {
  int64_t b = 0, head = 0, i = 0;
};

class AttentionRowJudge {
 public:
  explicit AttentionRowJudge(const Evidence& evidence);

  // The row from K and V on, whatever its class.
  void judge(const KeysAndValues& kv, const RowPlace& at, RowScratch& s,
             AttentionChunk& chunk) const;
  // The same from scratch.row on, which holds a live row in the domain, in double.
  void judge_live(const KeysAndValues& kv, const RowPlace& at, RowScratch& s,
                  AttentionChunk& chunk) const;
  void read(const RowPlace& at, RowScratch& s) const;

  // Of keys `first`..`last` of row i, is `key` an edge?
  bool is_edge(int64_t key, int64_t first, int64_t last, int64_t diagonal) const {
    const int64_t tile = evidence_.profile.tile_columns;
    return key == first || key == last || key == diagonal ||
           (tile > 0 && (key % tile == 0 || key % tile == tile - 1));
  }
  const AttentionOracle& oracle() const { return oracle_; }
  const oddtile_profile& profile() const { return evidence_.profile; }
  bool has_lse() const { return lse_index_ >= 0; }

 private:
  bool near_the_line(const RowScratch& s) const;
  void count_edges(const KeysAndValues& kv, const RowPlace& at, const RowScratch& s,
                   AttentionChunk& chunk) const;
  void tally(const RowPlace& at, const RowScratch& s, AttentionChunk& chunk) const;
  void tally_lse(const RowPlace& at, const RowScratch& s, AttentionChunk& chunk) const;
  bool expect(const RowScratch& s, int64_t x, Expectation& expected, const char*& law) const;

  const Evidence& evidence_;
  AttentionOracle oracle_;
  int o_index_, lse_index_;
  std::span<const std::byte> o_bytes_, lse_bytes_;
};

}  // namespace oddtile::oracles
