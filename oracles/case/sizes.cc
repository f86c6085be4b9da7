#include "oracles/case/sizes.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/bits.h"

namespace oddtile::oracles {
namespace {

constexpr int64_t kColumns[] = {0,   1,   2,   3,   4,    5,    7,    8,    9,    11,  13,  15,
                                16,  17,  31,  32,  33,   37,   47,   48,   63,   64,  65,  79,
                                96,  97,  101, 127, 128,  129,  131,  191,  192,  193, 255, 256,
                                257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049};
constexpr size_t kLengths = 36;  // up to 257
static_assert(kColumns[kLengths] == 257);

constexpr int64_t kHeadSizes[] = {1,  2,  3,  7,  8,   16,  24,  32,  40,  46,  48,
                                  64, 72, 80, 96, 100, 112, 128, 160, 192, 255, 256};
constexpr HeadRatio kHeadRatios[] = {{1, 1}, {2, 1}, {1, 2}, {2, 3}, {2, 2},
                                     {3, 1}, {1, 3}, {3, 2}, {1, 4}, {1, 8}};
constexpr float kScales[] = {1.0f,    0.0f,   -1.0f, -0.125f, 0.25f, 0.3f,
                             0x1p-9f, 1e-20f, 8.0f,  100.0f,  1e6f,  -0.0f};

double padded(int64_t length, int64_t tile) {
  return double(ceil_div(length, tile) * tile);
}

}  // namespace

std::span<const int64_t> interesting_lengths() {
  return std::span(kColumns).first(kLengths + 1);
}
std::span<const int64_t> interesting_columns() {
  return kColumns;
}
std::span<const int64_t> interesting_head_sizes() {
  return kHeadSizes;
}
std::span<const HeadRatio> interesting_head_ratios() {
  return kHeadRatios;
}
std::span<const float> interesting_scales() {
  return kScales;
}

float usual_scale(int64_t head_dim) {
  return float(1 / std::sqrt(double(head_dim)));
}

int64_t work_of(const Case& subject) {
  double work = 0;
  if (const auto* c = std::get_if<VectorAddCase>(&subject.problem)) {
    work = double(c->n);
  } else if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) {
    work = double(c->rows) * double(c->columns + c->x_pad + c->y_pad);
  } else {
    const auto& a = std::get<AttentionCase>(subject.problem);
    const double heads = double(a.batch) * double(a.heads_q());
    const double row = double(a.head_dim + a.pad);
    work = heads * (padded(a.seq_q, 32) * padded(a.seq_k, 32) * padded(a.head_dim, 16) +
                    double(a.seq_q + a.seq_k) * row + double(a.pad));
  }
  return int64_t(std::min(work, 0x1p62));
}

}  // namespace oddtile::oracles
