// How q, k and v of attention are made, so that the scores and contents a case names come out of
// 16-bit inputs. README.md explains the construction: carriers, spotlights and noise.
#pragma once

#include "kernels/base/random.h"
#include "oracles/case/case.h"

namespace oddtile::oracles {

// A row of q, k or v: where it stands. `head` counts the tensor's own heads; `length` is the number
// of keys of its batch item.
struct HeadRow {
  int64_t batch = 0;
  int64_t head = 0;
  int64_t row = 0;
  int64_t length = 0;
};

class ScoreRecipe {
 public:
  ScoreRecipe(const AttentionCase& subject, Random random);
  void query(HeadRow place, float* out) const;  // head_dim numbers
  void key(HeadRow place, float* out) const;

 private:
  Random stream(uint64_t tensor, HeadRow place) const;
  int64_t spotlight_of_key(int64_t key) const;
  int64_t spotlight_of_query(HeadRow place) const;
  double query_factor(int64_t row) const;
  bool calm(HeadRow place) const;
  double calm_factor() const;
  double target(HeadRow place, Random& random) const;

  void carried_query(HeadRow place, float* out) const;
  void carried_key(HeadRow place, float* out) const;
  void integer_row(bool is_query, HeadRow place, float* out) const;
  void zero_row(bool is_query, HeadRow place, float* out) const;
  void tied_key(HeadRow place, float* out) const;
  void flat_query(HeadRow place, float* out) const;  // deeper, fp16_overflow, fused_exponent
  void calm_flat_query(float* out) const;
  void flat_key(HeadRow place, float* out) const;
  void cancelling_pairs(bool is_query, HeadRow place, float* out) const;
  void add_infinities(bool is_query, HeadRow place, float* out) const;
  void add_specials(bool is_query, HeadRow place, float* out) const;

  AttentionCase c_;
  Random random_;
  int kind_;            // 0..3, of the whole case: some recipes come in kinds
  int64_t carriers_;    // leading columns that carry the target score
  double gain_;         // the scale, or 1 where it is 0
  double carrier_ = 0;  // value of q in the carriers
  double spot_ = 0;     // of q and, with its sign, of k in a spotlight
  double noise_ = 0;
  double flat_ = 0;     // magnitude of flat rows, of q and of k
  bool mixed_ = false;  // three rows of four are calm
};

void make_contents(const AttentionCase& subject, Random random, HeadRow place, float* out);

}  // namespace oddtile::oracles
