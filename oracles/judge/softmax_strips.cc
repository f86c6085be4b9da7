#include "oracles/judge/softmax_strips.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/bits.h"
#include "oracles/bounds/rounding.h"
#include "oracles/exact/read.h"

namespace oddtile::oracles {
namespace {

// The vectorised loops take blocks, whose numbers stay in registers; strips are padded to whole
// blocks with what is not visible. So every number is computed in the same way wherever it lies in
// memory, which Eigen does not promise for arrays whose size it does not know.
constexpr int64_t kBlock = 8;
using Block = Eigen::Array<double, kBlock, 1>;
using In = Eigen::Map<const Block>;
using Out = Eigen::Map<Block>;
constexpr int64_t kStrip = 512;
constexpr int64_t kKeptColumns = 1 << 15;  // of a row whose numbers stay in the second-level cache

// Farther below the maximum a weight is 0 in double, and what its bound would add is below 2^-1000.
constexpr double kFarthest = -708;
constexpr double kHidden = -1e300;  // in place of x where it is not visible
constexpr double kSmall = 0x1p-10;  // of E: e^x - 1 <= x + x^2/2 + x^3/4
// Nearer to the line the row is judged in the careful way (oracles/exact/README.md).
constexpr double kClear = 1 - kEscalationWindow;

int64_t padded(int64_t n) {
  return ceil_div(n, kBlock) * kBlock;
}

int64_t hidden(const uint8_t* visible, int64_t n) {
  static_assert(kStrip < 1 << 16);
  uint16_t count = 0;  // narrow, so that many are counted at once
  for (int64_t c = 0; c < n; ++c) count = uint16_t(count + (visible[c] == 0));
  return count;
}

}  // namespace

// What the comparison of a row adds up.
struct SoftmaxStrips::Scan {
  Block sums = Block::Zero(), squares = Block::Zero();
};

SoftmaxStrips::SoftmaxStrips(const SoftmaxTensors& tensors, const oddtile_profile& profile,
                             oddtile_dtype dtype)
    : tensors_(tensors),
      profile_(profile),
      dtype_(dtype),
      columns_(tensors.y.sizes[3]),
      keeps_rows_(columns_ <= kKeptColumns),
      rounding_(unit_roundoff(dtype)),
      flush_(subnormal_roundoff(dtype) + weight_flush(profile)) {
  const int64_t kept = padded(keeps_rows_ ? columns_ : kStrip);
  x_.resize(size_t(kept));
  weights_.resize(size_t(kept));
  if (tensors_.mask != nullptr) visible_.resize(size_t(kept));
}

bool SoftmaxStrips::judge(int64_t r, Tally& tally) {
  // Frames are the largest scores of tiles, which these sums do not know.
  const double events = softmax_events(columns_, profile_);
  if (profile_.extra_frame_u > 0 && events > 0) return false;
  if (!read(r)) return false;
  WeightRow row;
  row.events = events;
  log_error_ = log_error_terms(row, false, profile_);
  if (!(log_error_.common - log_error_.per_offset * kFarthest < kSmall)) return false;
  exponentials(r);
  WeightBound weights;
  weights.sum = errors_ / sum_;
  weights.sum_error = sum_error(softmax_depth(columns_, live_, profile_) + events);
  weights.loss = weights.sum + weights.sum_error + 2 * double(live_) * weight_flush(profile_);
  terms_ = softmax_terms(weights, events, profile_, dtype_);
  if (terms_.trivial || !compare(r, tally)) return false;
  count(r, tally);
  return true;
}

template <class Body>
void SoftmaxStrips::for_strips(const Body& body) {
  for (int64_t at = 0; at < columns_; at += kStrip) body(at, std::min(kStrip, columns_ - at));
}

// Columns at..at + n of row r, the hidden ones and those of the padding as kHidden.
void SoftmaxStrips::load(int64_t r, int64_t at, int64_t n) {
  double* to = x(at);
  read_columns(tensors_.x_bytes, tensors_.x, 0, 0, r, at, n, to);
  std::fill(to + n, to + padded(n), kHidden);
  if (tensors_.mask == nullptr) return;
  uint8_t* see = visible(at);
  read_bytes(tensors_.mask_bytes, *tensors_.mask, 0, 0, r, at, n, see);
  for (int64_t c = 0; c < n; ++c) {
    const double number = to[c];  // read whether it is visible or not, which vectorises
    to[c] = see[c] != 0 ? number : kHidden;
  }
}

// Loads row r. False where a visible number is not finite or fewer than two are visible.
bool SoftmaxStrips::read(int64_t r) {
  live_ = columns_;
  Block most = Block::Constant(kHidden), spoiled = Block::Zero();  // NaN: a number was not finite
  for_strips([&](int64_t at, int64_t n) {
    load(r, at, n);
    if (tensors_.mask != nullptr) live_ -= hidden(visible(at), n);
    const double* from = x(at);
    for (int64_t c = 0; c < n; c += kBlock) {
      const Block some = In(from + c);
      most = most.max(some);
      spoiled += some - some;
    }
  });
  max_ = most.maxCoeff();
  return spoiled.sum() == 0 && live_ >= 2;
}

// Weights and e^E - 1 of a strip that load() left in x; the sum of the weights and of
// w (e^E - 1).
std::array<double, 2> SoftmaxStrips::weigh(int64_t at, int64_t n) {
  double *from = x(at), *to = weights(at);
  Block sum = Block::Zero(), errors = Block::Zero();
  for (int64_t c = 0; c < n; c += kBlock) {
    const Block offset = In(from + c) - max_, near = offset.max(kFarthest);
    Block w = near.exp();
    // Apart from exp: Eigen selects one number at a time.
    for (int64_t k = 0; k < kBlock; ++k) w[k] = offset[k] > kFarthest ? w[k] : 0;
    const Block e = log_error_.common - log_error_.per_offset * near;
    const Block factor = e * (1 + e / 2 * (1 + e / 2));
    sum += w;
    errors += w * factor;
    Out(to + c) = w;
    Out(from + c) = factor;
  }
  return {sum.sum(), errors.sum()};
}

// Strips are summed with compensation (Neumaier 1974): the error of l is that of one strip,
// whatever the width.
void SoftmaxStrips::exponentials(int64_t r) {
  double lost = 0;
  sum_ = errors_ = 0;
  for_strips([&](int64_t at, int64_t n) {
    if (!keeps_rows_) load(r, at, n);
    const auto [part, errors] = weigh(at, n);
    const double next = sum_ + part;
    lost += sum_ >= part ? (sum_ - next) + part : (part - next) + sum_;
    sum_ = next;
    errors_ += errors;
  });
  sum_ += lost;
}

// Of a weight p (1 of them or a block), `factor` being its e^E - 1.
template <class Number>
Number SoftmaxStrips::bound(const Number& p, const Number& factor) const {
  const double twice = terms_.one_step ? 2 : 0;
  return terms_.per_error * (p * factor) * (1 - twice * p) + terms_.per_weight * p +
         terms_.absolute;
}

// False where an element is not clearly inside or a masked one is not +0.
bool SoftmaxStrips::compare(int64_t r, const Tally& tally) {
  worst_ = {tally.worst_ratio(), {}};
  net_ = {tally.worst_net(live_), {}};
  // p / bound rises with p, so that a zero output is worst at the maximum: E is least there.
  const double heaviest = 1 / sum_;
  const double e = log_error_.common, factor = e * (1 + e / 2 * (1 + e / 2));
  zero_ = heaviest / bound(heaviest, factor);
  counts_.clear();
  Scan scan;
  for (int64_t at = 0; at < columns_; at += kStrip)
    if (!compare_strip(r, at, std::min(kStrip, columns_ - at), scan)) return false;
  share_sum_ = scan.sums.sum();
  share_squares_ = scan.squares.sum();
  return true;
}

bool SoftmaxStrips::compare_strip(int64_t r, int64_t at, int64_t n, Scan& scan) {
  if (!keeps_rows_) {
    load(r, at, n);
    weigh(at, n);
  }
  double got[kStrip];
  int32_t bins[kStrip];
  read_columns(tensors_.y_bytes, tensors_.y, 0, 0, r, at, n, got);
  std::fill(got + n, got + padded(n), 0.0);
  if (tensors_.mask != nullptr) {
    const uint8_t* see = visible(at);
    uint64_t leaked = 0;
    for (int64_t c = 0; c < n; ++c) leaked |= see[c] != 0 ? 0 : std::bit_cast<uint64_t>(got[c]);
    if (leaked != 0) return false;
  }
  const double each = 1 / sum_;
  // Whether a net share is above the largest so far, multiplied out.
  const double net_rounding = (1 - net_.value) * rounding_, net_flush = (1 - net_.value) * flush_;
  Block most = Block::Zero(), net = Block::Zero();
  for (int64_t c = 0; c < n; c += kBlock) {
    const Block g = In(got + c), p = In(weights(at) + c) * each, factor = In(x(at) + c);
    const Block b = bound(p, factor), error = g - p, share = error / b, ratio = share.abs();
    scan.sums += share;
    scan.squares += share * share;
    most = most.max(ratio);
    net = net.max(error.abs() - net_rounding * p - net_.value * b);
    // What is not clear, or NaN (the 0 stands first for it), is no number for a bin, nor used.
    const Block binned = Block::Zero().max(ratio).min(kClear);
    Eigen::Map<Eigen::Array<int32_t, kBlock, 1>>(bins + c) =
        (binned * double(ShareCounts::kBins)).cast<int32_t>();
  }
  // A NaN is in the sum, whatever a maximum makes of it.
  if (!std::isfinite(scan.sums.sum()) || !(most.maxCoeff() < kClear)) return false;
  counts_.add(bins, n);
  // New worst elements are rare, so that only the question is asked of all.
  if (most.maxCoeff() > worst_.value || net.maxCoeff() > net_flush) records(at, n, got);
  return true;
}

void SoftmaxStrips::records(int64_t at, int64_t n, const double* got) {
  const double each = 1 / sum_;
  for (int64_t c = 0; c < n; ++c) {
    const double p = weights(at)[c] * each, b = bound(p, x(at)[c]);
    const Element element = {at + c, got[c], p, b};
    const double error = std::fabs(got[c] - p), own = rounding_ * p + flush_;
    if (error / b > worst_.value) worst_ = {error / b, element};
    // Net of the output's rounding.
    const double over = error - own, rest = b - own;
    if (over > net_.value * rest && rest > 0) net_ = {over / rest, element};
  }
}

void SoftmaxStrips::count(int64_t r, Tally& tally) const {
  tally.accept(counts_, columns_, share_sum_, share_squares_);
  tally.zero_output(zero_);
  tally.net_drawn(live_);
  if (worst_.element.column < 0 && net_.element.column < 0) return;
  Tally records;
  const auto expected = [](const Element& element) {
    return Expectation{Expectation::Kind::number, element.exact, element.bound};
  };
  if (const Element& most = worst_.element; most.column >= 0)
    records.add(oracles::compare(most.got, expected(most), kNever), most.got, expected(most),
                {0, 0, r, most.column}, "within_bound");
  if (const Element& most = net_.element; most.column >= 0)
    records.net(most.got, expected(most), rounding_ * most.exact + flush_, live_);
  tally.merge_worst(records);
}

}  // namespace oddtile::oracles
