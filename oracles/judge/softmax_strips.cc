#include "oracles/judge/softmax_strips.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>

#include "oracles/bounds/rounding.h"
#include "oracles/exact/read.h"

namespace oddtile::oracles {
namespace {

using Strip = Eigen::Map<Eigen::ArrayXd>;
constexpr int64_t kStrip = 512;
// Farther below the maximum a weight is 0 in double, and what its bound would add is below 2^-1000.
constexpr double kFarthest = -708;
constexpr double kSmall = 0x1p-10;  // of E: e^x - 1 <= x + x^2/2 + x^3/4
// Nearer to the line the row is judged in the careful way (oracles/exact/README.md).
constexpr double kClear = 1 - kEscalationWindow;

// Buffers for strips on the stack: the fixed maximum keeps Eigen from allocating.
using Local = Eigen::Array<double, Eigen::Dynamic, 1, 0, kStrip, 1>;

template <class Body>
void for_strips(int64_t columns, const Body& body) {
  for (int64_t at = 0; at < columns; at += kStrip) body(at, std::min(kStrip, columns - at));
}

}  // namespace

SoftmaxStrips::SoftmaxStrips(const SoftmaxTensors& tensors, const oddtile_profile& profile,
                             oddtile_dtype dtype)
    : tensors_(tensors), profile_(profile), dtype_(dtype), columns_(tensors.y.sizes[3]) {}

bool SoftmaxStrips::judge(int64_t r, Tally& tally) {
  // Frames are the largest scores of tiles, which these sums do not know.
  const double events = softmax_events(columns_, profile_);
  if (profile_.extra_frame_u > 0 && events > 0) return false;
  if (!read(r)) return false;
  WeightRow row;
  row.events = events;
  log_error_ = log_error_terms(row, false, profile_);
  if (!(log_error_.common - log_error_.per_offset * kFarthest < kSmall)) return false;
  exponentials();
  WeightBound weights;
  weights.sum = errors_ / sum_;
  weights.sum_error = sum_error(softmax_depth(columns_, live_, profile_) + events);
  weights.loss = weights.sum + weights.sum_error + 2 * double(live_) * weight_flush(profile_);
  terms_ = softmax_terms(weights, events, profile_, dtype_);
  if (terms_.trivial || !compare(r, tally)) return false;
  count(r, tally);
  return true;
}

// Row r into x_, masked columns as -inf. False where a visible one is not finite or fewer than two
// are visible.
bool SoftmaxStrips::read(int64_t r) {
  x_.resize(size_t(columns_));
  weights_.resize(size_t(columns_));
  if (tensors_.mask != nullptr) visible_.resize(size_t(columns_));
  live_ = columns_;
  max_ = -kNever;
  double spoiled = 0;  // NaN as soon as a visible x is not finite
  for_strips(columns_, [&](int64_t at, int64_t n) {
    read_columns(tensors_.x_bytes, tensors_.x, 0, 0, r, at, n, &x_[size_t(at)]);
    Strip x(&x_[size_t(at)], n);
    if (tensors_.mask == nullptr) {
      spoiled += (x - x).sum();
    } else {
      for (int64_t c = at; c < at + n; ++c) {
        const bool see = read_at<uint8_t>(tensors_.mask_bytes, tensors_.mask->index(0, 0, r, c));
        visible_[size_t(c)] = see;
        live_ -= !see;
        spoiled += see ? x_[size_t(c)] - x_[size_t(c)] : 0;
        x_[size_t(c)] = see ? x_[size_t(c)] : -kNever;
      }
    }
    max_ = std::max(max_, x.maxCoeff());
  });
  return spoiled == 0 && live_ >= 2;
}

// Weights, their sum and sum w (e^E - 1). Strips are summed with compensation (Neumaier 1974): the
// error of l is that of one strip, whatever the width.
void SoftmaxStrips::exponentials() {
  double lost = 0;
  sum_ = errors_ = 0;
  for_strips(columns_, [&](int64_t at, int64_t n) {
    Strip x(&x_[size_t(at)], n), w(&weights_[size_t(at)], n);
    x -= max_;
    w = x.max(kFarthest).exp();
    // Apart from exp: Eigen selects one number at a time.
    for (int64_t c = 0; c < n; ++c) w[c] = x[c] > kFarthest ? w[c] : 0;
    // An expression is added in the same order wherever it lies in memory.
    const double part = (w * 1).sum(), next = sum_ + part;
    lost += sum_ >= part ? (sum_ - next) + part : (part - next) + sum_;
    sum_ = next;
    const Local e = log_error_.common - log_error_.per_offset * x.max(kFarthest);
    errors_ += (w * e * (1 + e / 2 * (1 + e / 2))).sum();
  });
  sum_ += lost;
}

// error / bound of every column into x_. False where one is not clearly inside or a masked one is
// not +0.
bool SoftmaxStrips::compare(int64_t r, const Tally& tally) {
  Local got, e, bound;
  bool inside = true;
  const double each = 1 / sum_, twice = terms_.one_step ? 2 : 0;
  worst_ = {tally.worst_ratio(), {}};
  net_ = {tally.worst_net(live_), {}};
  zero_ = tally.zero_factor();
  for (int64_t at = 0; inside && at < columns_; at += kStrip) {
    const int64_t n = std::min(kStrip, columns_ - at);
    got.resize(n);
    read_columns(tensors_.y_bytes, tensors_.y, 0, 0, r, at, n, got.data());
    if (tensors_.mask != nullptr)
      for (int64_t c = 0; c < n; ++c)
        inside &= visible_[size_t(at + c)] || std::bit_cast<uint64_t>(got[c]) == 0;
    Strip x(&x_[size_t(at)], n), p(&weights_[size_t(at)], n);
    p *= each;
    e = log_error_.common - log_error_.per_offset * x.max(kFarthest);
    e = p * e * (1 + e / 2 * (1 + e / 2));  // D_j
    bound = terms_.per_error * e * (1 - twice * p) + terms_.per_weight * p + terms_.absolute;
    x = (got - p) / bound;
    // A NaN is in the sum, whatever a maximum makes of it. (Eigen's all() takes one at a time.)
    inside &= std::isfinite((x * 1).sum()) && x.abs().maxCoeff() < kClear;
    if (inside) records(at, n, got.data(), bound.data());
  }
  return inside;
}

// Whether the strip holds a new worst element. Rare, so that only the question is asked of all.
void SoftmaxStrips::records(int64_t at, int64_t n, const double* got, const double* bound) {
  using View = Eigen::Map<const Eigen::ArrayXd>;
  const View g(got, n), b(bound, n), p(&weights_[size_t(at)], n), share(&x_[size_t(at)], n);
  const double u_o = unit_roundoff(dtype_);
  const double flush = subnormal_roundoff(dtype_) + weight_flush(profile_);
  const auto element = [&](int64_t c) { return Element{at + c, got[c], p[c], bound[c]}; };
  if (share.abs().maxCoeff() > worst_.value)
    for (int64_t c = 0; c < n; ++c)
      if (std::fabs(share[c]) > worst_.value) worst_ = {std::fabs(share[c]), element(c)};
  // over / rest, net of the output's rounding.
  const Local over = (g - p).abs() - (u_o * p + flush), rest = b - (u_o * p + flush);
  if ((over - net_.value * rest).maxCoeff() > 0)
    for (int64_t c = 0; c < n; ++c)
      if (over[c] > net_.value * rest[c] && rest[c] > 0) net_ = {over[c] / rest[c], element(c)};
  if ((p - zero_ * b).maxCoeff() > 0) zero_ = std::max(zero_, (p / b).maxCoeff());
}

void SoftmaxStrips::count(int64_t r, Tally& tally) const {
  tally.accept(x_.data(), columns_);
  tally.zero_output(zero_);
  const double u_o = unit_roundoff(dtype_);
  const double flush = subnormal_roundoff(dtype_) + weight_flush(profile_);
  Tally records;
  const auto expected = [](const Element& element) {
    return Expectation{Expectation::Kind::number, element.exact, element.bound};
  };
  if (const Element& most = worst_.element; most.column >= 0)
    records.add(oracles::compare(most.got, expected(most), kNever), most.got, expected(most),
                {0, 0, r, most.column}, "within_bound");
  if (const Element& most = net_.element; most.column >= 0)
    records.net(most.got, expected(most), u_o * most.exact + flush, live_);
  if (worst_.element.column >= 0 || net_.element.column >= 0) tally.merge_worst(records);
}

}  // namespace oddtile::oracles
