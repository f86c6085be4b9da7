#include "reports/measure/timing_points.h"

namespace oddtile::reports {
namespace {

using oracles::AttentionCase;
using oracles::Case;
using oracles::MaskKind;
using oracles::SoftmaxCase;
using oracles::VectorAddCase;

// The field's convention, so that figures compare: 16k tokens, heads * head_dim = 2048.
constexpr int64_t kTokens = 16384;
constexpr int64_t kWidth = 2048;
constexpr int64_t kSoftmaxBytes = int64_t(1) << 30;  // moved, read and written together

template <class Problem>
TimingPoint make_point(const Problem& problem) {
  const Case timed = {.problem = problem, .seed = 1};
  return {timed, edge_case(timed)};
}

void add_attentions(oddtile_dtype dtype, const std::vector<int64_t>& sizes,
                    std::vector<TimingPoint>& points) {
  for (const int64_t head_dim : {64, 128}) {
    for (const bool causal : {false, true}) {
      for (const int64_t seq : sizes) {
        AttentionCase c;
        c.dtype = dtype;
        c.batch = kTokens / seq;
        c.heads_kv = kWidth / head_dim;
        c.seq_q = c.seq_k = seq;
        c.head_dim = head_dim;
        c.scale = double(float(head_dim == 64 ? 0.125 : 0.08838834764831845));
        if (causal) c.band_high = 0;
        c.scores = oracles::Scores::noise;
        c.contents = oracles::Contents::noise;
        points.push_back(make_point(c));
      }
    }
  }
}

void add_softmaxes(oddtile_dtype dtype, const std::vector<int64_t>& widths,
                   std::vector<TimingPoint>& points) {
  const int64_t bytes = dtype == oddtile_fp32 ? 4 : 2;
  for (const int64_t columns : widths) {
    SoftmaxCase c;
    c.dtype = dtype;
    c.rows = kSoftmaxBytes / (2 * bytes * columns);
    c.columns = columns;
    c.values = oracles::Values::noise;
    points.push_back(make_point(c));
  }
}

void add_vector_adds(oddtile_dtype dtype, MaskKind mask, const std::vector<int64_t>& lengths,
                     std::vector<TimingPoint>& points) {
  for (const int64_t n : lengths) {
    VectorAddCase c;
    c.dtype = dtype;
    c.n = n;
    c.mask = mask;
    c.values = oracles::Values::noise;
    points.push_back(make_point(c));
  }
}

}  // namespace

Case edge_case(const Case& timed) {
  Case edges = timed;
  edges.seed = timed.seed + 1;
  if (auto* c = std::get_if<AttentionCase>(&edges.problem)) {
    c->scores = oracles::Scores::ties;  // the top tier is every edge key
    // Without an LSE only O can show a key: one column for each, as far as columns go.
    c->contents = c->lse ? oracles::Contents::coded : oracles::Contents::one_hot;
  } else if (auto* c = std::get_if<SoftmaxCase>(&edges.problem)) {
    c->values = oracles::Values::last_max;
  } else {
    std::get<VectorAddCase>(edges.problem).values = oracles::Values::bits;
  }
  return edges;
}

int64_t materialised_bytes(const Case& subject) {
  const auto* c = std::get_if<AttentionCase>(&subject.problem);
  if (c == nullptr) return 0;
  return c->batch * c->heads_q() * c->seq_q * c->seq_k * (4 + 2);  // fp32 scores, 16-bit weights
}

std::vector<TimingPoint> timing_points(Effort effort) {
  std::vector<TimingPoint> points;
  if (effort == Effort::quick) {
    add_attentions(oddtile_bf16, {1024, 4096}, points);
    add_softmaxes(oddtile_fp32, {1024, 32768}, points);
    add_vector_adds(oddtile_fp32, MaskKind::none, {int64_t(1) << 24}, points);
    add_vector_adds(oddtile_fp32, MaskKind::half, {int64_t(1) << 24}, points);
    return points;
  }
  add_attentions(oddtile_bf16, {128, 256, 512, 1024, 2048, 4096, 8192, 16384}, points);
  add_attentions(oddtile_fp16, {1024, 8192}, points);
  const std::vector<int64_t> widths = {64,   128,   781,   1024,  4096,   4097,
                                       8192, 12672, 32768, 65536, 131072, 1048576};
  add_softmaxes(oddtile_fp32, widths, points);
  add_softmaxes(oddtile_bf16, widths, points);
  const int64_t mi = int64_t(1) << 20;
  add_vector_adds(oddtile_fp32, MaskKind::none, {98432, mi, 16 * mi, 64 * mi, 256 * mi}, points);
  add_vector_adds(oddtile_bf16, MaskKind::none, {16 * mi, 16 * mi + 3, 256 * mi}, points);
  for (const MaskKind mask : {MaskKind::half, MaskKind::runs, MaskKind::all}) {
    add_vector_adds(oddtile_fp32, mask, {mi, 16 * mi, 256 * mi}, points);
  }
  return points;
}

}  // namespace oddtile::reports
