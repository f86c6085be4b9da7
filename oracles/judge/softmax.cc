// Softmax: masked columns exactly +0, special rows NaN by class, the rest within the bound.
#include "oracles/bounds/softmax.h"

#include <cmath>
#include <limits>

#include "oracles/bounds/rounding.h"
#include "oracles/case/parallel.h"
#include "oracles/exact/read.h"
#include "oracles/judge/parts.h"
#include "oracles/judge/softmax_strips.h"

namespace oddtile::oracles {
namespace {

struct Chunk {
  Tally tally;
  int64_t bounded_rows = 0, trivial_rows = 0, escalated = 0, fully_bounded = 0;
};

// Buffers of one thread, reused from row to row.
struct Scratch {
  std::vector<double> x, got;
  std::vector<uint8_t> mask;
  SoftmaxRow row;
  SoftmaxBound bound;
};

class SoftmaxJudge {
 public:
  explicit SoftmaxJudge(const Evidence& evidence)
      : evidence_(evidence),
        dtype_(std::get<SoftmaxCase>(evidence.workload.subject.problem).dtype),
        x_(*evidence.workload.find(Role::x)),
        mask_(evidence.workload.find(Role::mask)),
        out_index_(evidence.workload.index_of(Role::y)),
        y_(evidence.workload.tensors[size_t(out_index_)]) {}

  SoftmaxTensors tensors() const {
    const Workload& workload = evidence_.workload;
    return {x_,
            y_,
            mask_,
            stored_bytes(workload, x_),
            evidence_.after(out_index_),
            mask_ == nullptr ? std::span<const std::byte>() : stored_bytes(workload, *mask_)};
  }

  // In strips where they decide, else the careful way.
  void judge_row(int64_t r, SoftmaxStrips& strips, Scratch& s, Chunk& chunk) const {
    if (!strips.judge(r, chunk.tally)) return judge_carefully(r, s, chunk);
    ++chunk.bounded_rows;
    chunk.fully_bounded += strips.live();
  }

  int64_t rows() const { return y_.sizes[2]; }
  int64_t columns() const { return y_.sizes[3]; }
  const oddtile_profile& profile() const { return evidence_.profile; }
  oddtile_dtype dtype() const { return dtype_; }

 private:
  void judge_carefully(int64_t r, Scratch& s, Chunk& chunk) const {
    s.x.resize(size_t(x_.sizes[3]));
    s.got.resize(s.x.size());
    read_row(stored_bytes(evidence_.workload, x_), x_, 0, 0, r, s.x.data());
    read_row(evidence_.after(out_index_), y_, 0, 0, r, s.got.data());
    const uint8_t* mask = nullptr;
    if (mask_ != nullptr) {
      s.mask.resize(s.x.size());
      read_bytes(stored_bytes(evidence_.workload, *mask_), *mask_, 0, 0, r, 0, mask_->sizes[3],
                 s.mask.data());
      mask = s.mask.data();
    }
    solve(mask, Precision::standard, s);
    if (near_the_line(s)) {
      solve(mask, Precision::wide, s);
      chunk.escalated += int64_t(s.x.size());
    }
    tally_row(r, mask, s, chunk);
  }

  void solve(const uint8_t* mask, Precision precision, Scratch& s) const {
    softmax_row(s.x, mask, precision, s.row);
    bound_softmax(s.row, evidence_.profile, dtype_, s.bound);
  }

  bool near_the_line(const Scratch& s) const {
    if (s.row.row_class != RowClass::live) return false;
    for (size_t c = 0; c < s.x.size(); ++c) {
      const double error = std::fabs(s.got[c] - s.row.weight[c]), bound = s.bound.error[c];
      if (std::fabs(error - bound) <= kEscalationWindow * bound && bound > 0) return true;
    }
    return false;
  }

  void tally_row(int64_t r, const uint8_t* mask, const Scratch& s, Chunk& chunk) const {
    using Kind = Expectation::Kind;
    const bool live = s.row.row_class == RowClass::live;
    // A row with a single live column is known exactly: 1.
    if (live && s.row.live > 1) {
      ++chunk.bounded_rows;
      chunk.trivial_rows += s.bound.trivial;
    }
    const double u_o = unit_roundoff(dtype_);
    const double flush = subnormal_roundoff(dtype_) + weight_flush(evidence_.profile);
    for (size_t c = 0; c < s.x.size(); ++c) {
      const std::array<int64_t, 4> index = {0, 0, r, int64_t(c)};
      Expectation expected{Kind::number, s.row.weight[c], s.bound.error[c]};
      const char* law = "within_bound";
      if (mask != nullptr && mask[c] == 0) {
        expected = {Kind::positive_zero, 0, 0};
        law = "masked_is_zero";
      } else if (!live) {
        expected = {Kind::nan, std::numeric_limits<double>::quiet_NaN(), 0};
        law = "special_value";
      } else if (expected.bound > 0) {
        ++chunk.fully_bounded;
        chunk.tally.zero_output(expected.exact / expected.bound);
      }
      chunk.tally.add(compare(s.got[c], expected, kNever), s.got[c], expected, index, law);
      if (live && s.row.live > 1 && !s.bound.trivial && expected.kind == Kind::number)
        chunk.tally.net(s.got[c], expected, u_o * expected.exact + flush, s.row.live);
    }
  }

  const Evidence& evidence_;
  oddtile_dtype dtype_;
  const Tensor& x_;
  const Tensor* mask_;
  int out_index_;
  const Tensor& y_;
};

}  // namespace

Outcome judge_softmax(const Evidence& evidence) {
  const SoftmaxJudge judge(evidence);
  const std::vector<int64_t> rows =
      sampled_rows(judge.rows(), judge.rows(), evidence.profile.tile_rows, evidence.sampling);
  const int64_t count = int64_t(rows.size());
  const int64_t grain = std::max<int64_t>(1, count / 64);
  std::vector<Chunk> chunks(size_t(ceil_div(count, grain)));
  const SoftmaxTensors tensors = judge.tensors();
  parallel_for(count, grain, count * judge.columns() * 4, [&](int64_t begin, int64_t end) {
    Scratch scratch;
    SoftmaxStrips strips(tensors, judge.profile(), judge.dtype());
    for (int64_t i = begin; i < end; ++i)
      judge.judge_row(rows[size_t(i)], strips, scratch, chunks[size_t(begin / grain)]);
  });
  Outcome outcome;
  outcome.parts.push_back({Role::y, {}});
  for (const Chunk& chunk : chunks) {
    outcome.parts[0].tally.merge(chunk.tally);
    outcome.bounded_rows += chunk.bounded_rows;
    outcome.trivial_rows += chunk.trivial_rows;
    outcome.escalated += chunk.escalated;
    outcome.fully_bounded += chunk.fully_bounded;
  }
  return outcome;
}

}  // namespace oddtile::oracles
