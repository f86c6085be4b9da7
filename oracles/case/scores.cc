#include "oracles/case/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/case/elements.h"
#include "oracles/case/values.h"

namespace oddtile::oracles {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Integers and noise are as they are whatever the scale: from such differences of scores on, keys
// drown in the largest.
constexpr double kLargestSpread = 8;
constexpr double kIntegerSpot = 9;        // of two spotlights of 3
constexpr double kFarthestGain = 0x1p64;  // beyond, scores are meant to leave the bound's domain

// Sizes of the parts of a score, in units of the score.
struct Plan {
  double reach = 1;  // largest |target|
  double edge = 0;   // added at edge keys (first, last, next to a multiple of 16)
  double spot = 0;   // added where the query's spotlight meets the key's
  double noise = 0;  // standard deviation of the rest
};

Plan plan_of(Scores scores) {
  switch (scores) {
    case Scores::level:
    case Scores::high:
      return {scores == Scores::level ? 200.0 : 100.0, 0.5, 0.3, 0.03};
    case Scores::deep:
      return {60000, 1.5, 2, 0.5};
    case Scores::rising:
    case Scores::falling:
      return {8, 0, 0, 0.25};
    case Scores::last_max:
      return {16, 1, 0.5, 0.5};
    case Scores::ties:
      return {4, 0, 0, 0.25};
    case Scores::peaked:
      return {6, 5, 8, 0.5};
    case Scores::cancelling:
      return {4, 2, 0, 0};
    default:  // negative_infinities, specials
      return {2, 1, 2, 0.5};
  }
}

bool is_flat(Scores scores) {
  return scores == Scores::deeper || scores == Scores::fp16_overflow ||
         scores == Scores::fused_exponent;
}

// Small heads keep a column for the spotlight, except where the target needs more than the digits
// of one number: deep scores of a head of 2 have the sharpest bound of all.
int64_t carriers_of(const AttentionCase& c) {
  const bool digits =
      c.scores == Scores::deep || c.scores == Scores::rising || c.scores == Scores::falling;
  const int64_t wanted = c.head_dim >= 8 ? 3 : c.head_dim >= 4 || digits ? 2 : 1;
  return std::min(wanted, c.head_dim);
}

double power_of_two_near(double value, oddtile_dtype dtype) {
  const int limit = dtype == oddtile_fp16 ? 14 : 60;
  const double exponent = value > 0 ? std::round(std::log2(value)) : 0;
  return std::exp2(std::clamp(exponent, double(-limit), double(limit)));
}

void scale_row(float* row, int64_t columns, double factor) {
  for (int64_t x = 0; x < columns; ++x) row[x] *= float(factor);
}

// Magnitude of every element of q and k where all are alike.
double flat_magnitude(const AttentionCase& c, double gain) {
  const double d = double(c.head_dim);
  if (c.scores == Scores::fused_exponent) return c.dtype == oddtile_fp16 ? 65024 : 133120;
  if (c.scores == Scores::deeper) {
    const int limit = c.dtype == oddtile_fp16 ? 15 : 60;
    const double exponent = std::ceil(0.5 * std::log2(1e10 / (std::abs(gain) * d)));
    return std::exp2(std::clamp(exponent, -14.0, double(limit)));
  }
  double magnitude = rounded_to(c.dtype, std::sqrt(65536 / d));  // fp16_overflow: q . k >= 65536
  while (magnitude * magnitude * d < 65536) {
    magnitude = rounded_to(c.dtype, magnitude * (1 + 0x1p-6));
  }
  return magnitude;
}

// Scores beyond which the bound of a row shows little but classes (README.md, "Calm rows"). Heads
// of up to 4 keep the bound of deep scores sharp, and a row that sees one diagonal is judged
// exactly.
bool hides_keys(const AttentionCase& c, double gain) {
  const double d = double(c.head_dim);
  if (c.band_low == c.band_high || gain > kFarthestGain) return false;
  if (c.scores == Scores::deep || is_flat(c.scores)) return true;
  if (c.scores == Scores::integers) return gain * (kIntegerSpot + std::sqrt(d)) > kLargestSpread;
  return c.scores == Scores::noise && gain * std::sqrt(d) > kLargestSpread / 4;
}

}  // namespace

ScoreRecipe::ScoreRecipe(const AttentionCase& subject, Random random)
    : c_(subject),
      random_(random),
      kind_(int(random.split(99).below(4))),
      carriers_(carriers_of(subject)),
      gain_(subject.scale == 0 ? 1 : subject.scale),
      mixed_(hides_keys(subject, std::abs(gain_))) {
  if (is_flat(c_.scores)) {
    flat_ = flat_magnitude(c_, gain_);
    return;
  }
  const Plan plan = plan_of(c_.scores);
  const double gain = std::abs(gain_);
  const double rest = double(std::max<int64_t>(1, c_.head_dim - carriers_));
  const double most = largest_of(c_.dtype) / 16;
  carrier_ = power_of_two_near(std::sqrt(plan.reach / gain), c_.dtype);
  spot_ = std::min(most, std::sqrt(plan.spot / gain));
  noise_ = std::min(most, std::sqrt(plan.noise / (gain * std::sqrt(rest))));
}

Random ScoreRecipe::stream(uint64_t tensor, HeadRow place) const {
  return random_.split(tensor)
      .split(uint64_t(place.batch))
      .split(uint64_t(place.head))
      .split(uint64_t(place.row));
}

int64_t ScoreRecipe::spotlight_of_key(int64_t key) const {
  const int64_t spots = c_.head_dim - carriers_;
  return spots > 0 ? carriers_ + key % spots : -1;
}

// A query looks at the key on an edge of its band (even rows the upper, odd rows the lower one),
// or, without a band, at the keys that are congruent to its own index: so every key stands out for
// some row.
int64_t ScoreRecipe::spotlight_of_query(HeadRow place) const {
  const int64_t spots = c_.head_dim - carriers_;
  if (spots <= 0) return -1;
  const bool high = c_.band_high != kUnbounded;
  const bool low = c_.band_low != -kUnbounded;
  __int128 key = place.row;
  if (high || low) {
    if (c_.anchor == oddtile_bottom_right) key += place.length - c_.seq_q;
    key += high && (!low || place.row % 2 == 0) ? c_.band_high : c_.band_low;
  }
  return carriers_ + int64_t((key % spots + spots) % spots);
}

// Rows of monotone recipes differ in steepness (powers of two keep the order exact).
double ScoreRecipe::query_factor(int64_t row) const {
  if (c_.scores != Scores::rising && c_.scores != Scores::falling) return 1;
  const double factors[] = {1, 0.5, 2, 1};
  return factors[row % 4];
}

// Where a row of extreme scores alone would show no key, three rows of four are calm: the same keys
// with a smaller query, so that every tile edge stays visible beside the extremes.
bool ScoreRecipe::calm(HeadRow place) const {
  return mixed_ && (place.row + place.head + place.batch + kind_) % 4 != 0;
}

// A power of two: integers stay exact.
double ScoreRecipe::calm_factor() const {
  if (c_.scores == Scores::deep) return 0x1p-11;
  const double d = double(c_.head_dim);
  const double spread = c_.scores == Scores::noise ? 4 * std::sqrt(d) : kIntegerSpot + std::sqrt(d);
  return std::exp2(-std::ceil(std::log2(std::abs(gain_) * spread / (kLargestSpread / 2))));
}

// The score that key `place.row` should have for a query of factor 1, spotlight and noise aside.
double ScoreRecipe::target(HeadRow place, Random& random) const {
  const Plan plan = plan_of(c_.scores);
  const double length = double(std::max<int64_t>(1, place.length));
  const double along = double(place.row) / length;
  const double span = std::clamp(0.35 * length, 2.0, 8.0);
  const double boost = is_edge(place.row, place.length) ? plan.edge : 0;
  switch (c_.scores) {
    case Scores::level:
      return -200 + boost;
    case Scores::high:
      return 100 + boost;
    case Scores::deep:
      return -60000 + boost + 4 * along;
    case Scores::rising:
      return span * (along - 1);
    case Scores::falling:
      return -span * along;
    case Scores::last_max:
      return place.row == place.length - 1 ? 5 + 0.7 * std::bit_width(uint64_t(length)) : boost;
    case Scores::ties:
      if (!is_edge(place.row, place.length)) return double(random.below(2)) * 2;
      return place.length > kLongRow ? 8 : 2;
    default:
      return boost;
  }
}

void ScoreRecipe::carried_query(HeadRow place, float* out) const {
  Random random = stream(1, place);
  const double carried = carrier_ * query_factor(place.row) * (calm(place) ? calm_factor() : 1);
  for (int64_t x = 0; x < c_.head_dim; ++x) {
    out[x] = float(x < carriers_ ? carried : noise_ * random.normal());
  }
  const int64_t spot = spotlight_of_query(place);
  if (spot >= 0 && spot_ > 0) out[spot] += float(spot_);
}

// The target goes to the carriers: what one 16-bit number cannot hold the next one holds.
void ScoreRecipe::carried_key(HeadRow place, float* out) const {
  Random random = stream(2, place);
  const double largest = largest_of(c_.dtype);
  double rest = target(place, random) / (gain_ * carrier_);
  for (int64_t x = 0; x < carriers_; ++x) {
    out[x] = rounded_to(c_.dtype, std::clamp(rest, -largest, largest));
    rest -= out[x];
  }
  // In monotone recipes all keys share the rest, so that it cannot disturb the order.
  const bool monotone = c_.scores == Scores::rising || c_.scores == Scores::falling;
  if (monotone) random = stream(2, {place.batch, place.head, -1, 0});
  for (int64_t x = carriers_; x < c_.head_dim; ++x) out[x] = float(noise_ * random.normal());
  const int64_t spot = spotlight_of_key(place.row);
  if (spot >= 0 && spot_ > 0) out[spot] += float(gain_ < 0 ? -spot_ : spot_);
}

// Small integers: every product and sum is exact in fp32.
void ScoreRecipe::integer_row(bool is_query, HeadRow place, float* out) const {
  Random random = stream(is_query ? 1 : 2, place);
  for (int64_t x = 0; x < c_.head_dim; ++x) out[x] = float(int(random.below(3)) - 1);
  const int64_t spot = is_query ? spotlight_of_query(place) : spotlight_of_key(place.row);
  if (spot >= 0) out[spot] += is_query || gain_ > 0 ? 3.0f : -3.0f;
  if (!is_query && is_edge(place.row, place.length)) out[0] *= 2;
  if (is_query && calm(place)) scale_row(out, c_.head_dim, calm_factor());
}

// q . k is exactly 0 although neither is: their non-zero columns do not meet.
void ScoreRecipe::zero_row(bool is_query, HeadRow place, float* out) const {
  Random random = stream(is_query ? 1 : 2, place);
  for (int64_t x = 0; x < c_.head_dim; ++x) {
    const bool mine = ((x + kind_) % 2 == 0) == is_query;
    const double value = random.normal();
    out[x] = mine ? float(value) : 0.0f;
  }
}

// Keys of one tier are the same vector, so their scores are equal bits. In long rows only edge keys
// are in the top tier, or each would drown in the others.
void ScoreRecipe::tied_key(HeadRow place, float* out) const {
  Random random = stream(3, place);
  const uint32_t tiers = place.length > kLongRow ? 2 : 3;
  const int64_t tier = is_edge(place.row, place.length) ? 2 : random.below(tiers);
  HeadRow base = {place.batch, place.head, tier == 2 ? 0 : 1 + tier, place.length};
  carried_key(base, out);
  if (tier != 2) out[0] = rounded_to(c_.dtype, 0.25 * double(tier) * out[0]);
}

// One column alone, against k's flat rows: scores near +-32, the edge keys among the largest.
void ScoreRecipe::calm_flat_query(float* out) const {
  const double value = 32 / (std::abs(gain_) * flat_);
  std::fill(out, out + c_.head_dim, 0.0f);
  out[0] = rounded_to(c_.dtype, std::min(value, double(largest_of(c_.dtype))));
  if (c_.scores == Scores::deeper) out[0] = -out[0];
}

void ScoreRecipe::flat_query(HeadRow place, float* out) const {
  if (calm(place)) return calm_flat_query(out);
  const bool negative = c_.scores == Scores::deeper || place.row % 4 == 3;
  const double value = (negative ? -flat_ : flat_);
  std::fill(out, out + c_.head_dim, float(value));
}

void ScoreRecipe::flat_key(HeadRow place, float* out) const {
  Random random = stream(2, place);
  const double sign = gain_ < 0 ? -1 : 1;
  const bool edge = is_edge(place.row, place.length);
  double value = flat_;
  if (!edge && c_.scores == Scores::deeper) value *= 1 + double(random.below(3) / 2) / 64;
  if (!edge && c_.scores == Scores::fused_exponent && random.below(4) == 0) value *= 1 - 0x1p-6;
  std::fill(out, out + c_.head_dim, float(sign * value));
  if (c_.scores == Scores::fp16_overflow) {
    // Neighbours differ by a score of about 1, each in its own column: as much as the type
    // resolves.
    const double finest = flat_ * (c_.dtype == oddtile_fp16 ? 0x1p-10 : 0x1p-7);
    const double most = std::max(finest, flat_ / 4);
    const double step = std::clamp(1 / (std::abs(gain_) * flat_), finest, most);
    out[place.row % c_.head_dim] = float(sign * (value + double(random.below(3)) * step));
  }
}

// Large terms of both signs that cancel exactly: the bound must grow with sum |q||k|, not with |s|.
void ScoreRecipe::cancelling_pairs(bool is_query, HeadRow place, float* out) const {
  Random random = stream(is_query ? 4 : 5, place);
  const double gain = std::sqrt(std::abs(gain_) * std::sqrt(double(c_.head_dim)));
  const double size = std::clamp((is_query ? 4.0 : 8.0) / gain, 0x1p-10, 0x1p13);
  for (int64_t x = carriers_; x < c_.head_dim; ++x) out[x] = 0;
  for (int64_t x = carriers_; x + 1 < c_.head_dim; x += 2) {
    out[x] = rounded_to(c_.dtype, size * random.normal());
    out[x + 1] = is_query ? -out[x] : out[x];
  }
}

// A third of the keys score -inf for every query; every fourth query has nothing but -inf; in one
// kind of case in four a whole head has no live key.
void ScoreRecipe::add_infinities(bool is_query, HeadRow place, float* out) const {
  Random random = stream(is_query ? 6 : 7, place);
  const float sign = gain_ < 0 ? -1.0f : 1.0f;
  const int64_t other = c_.head_dim > 1 ? 1 : 0;
  if (is_query) {
    out[0] = float(carrier_);
    if (other == 1) out[1] = place.row % 4 == 1 ? -sign * kInfinity : float(carrier_ / 4);
    return;
  }
  if (other == 1) out[1] = 0.5f;
  const bool whole_head = kind_ == 1 && place.head == 0;
  if (whole_head || random.below(3) == 0) out[0] = -sign * kInfinity;
}

// q: one row in eight holds one of them, and ruins itself only. k: zeros of both signs and
// subnormals anywhere; NaN or an infinity in at most one key of a head, in half of the cases.
void ScoreRecipe::add_specials(bool is_query, HeadRow place, float* out) const {
  Random random = stream(is_query ? 8 : 9, place);
  const float strong[] = {kNan, kInfinity, -kInfinity, largest_of(c_.dtype)};
  for (int64_t x = 0; x < c_.head_dim; ++x) {
    if (random.below(8) != 0) continue;
    const float weak[] = {0.0f, -0.0f, smallest_of(c_.dtype), -smallest_normal_of(c_.dtype)};
    out[x] = weak[random.below(4)];
  }
  Random head = stream(10, {place.batch, place.head, 0, 0});
  const int64_t chosen = head.between(0, std::max<int64_t>(0, place.length - 1));
  const bool holds_one = is_query ? random.below(8) == 0 : kind_ % 2 == 1 && place.row == chosen;
  if (holds_one) out[random.below(uint32_t(c_.head_dim))] = strong[random.below(4)];
}

void ScoreRecipe::query(HeadRow place, float* out) const {
  if (c_.scores == Scores::integers) return integer_row(true, place, out);
  if (c_.scores == Scores::zeros) return zero_row(true, place, out);
  if (is_flat(c_.scores)) return flat_query(place, out);
  if (c_.scores == Scores::noise) {
    Random random = stream(1, place);
    for (int64_t x = 0; x < c_.head_dim; ++x) out[x] = float(random.normal());
    if (calm(place)) scale_row(out, c_.head_dim, calm_factor());
    return;
  }
  carried_query(place, out);
  if (c_.scores == Scores::cancelling) cancelling_pairs(true, place, out);
  if (c_.scores == Scores::negative_infinities) add_infinities(true, place, out);
  if (c_.scores == Scores::specials) add_specials(true, place, out);
}

void ScoreRecipe::key(HeadRow place, float* out) const {
  if (c_.scores == Scores::integers) return integer_row(false, place, out);
  if (c_.scores == Scores::zeros) return zero_row(false, place, out);
  if (is_flat(c_.scores)) return flat_key(place, out);
  if (c_.scores == Scores::noise) {
    Random random = stream(2, place);
    for (int64_t x = 0; x < c_.head_dim; ++x) out[x] = float(random.normal());
    return;
  }
  if (c_.scores == Scores::ties) return tied_key(place, out);
  carried_key(place, out);
  if (c_.scores == Scores::cancelling) cancelling_pairs(false, place, out);
  if (c_.scores == Scores::negative_infinities) add_infinities(false, place, out);
  if (c_.scores == Scores::specials) add_specials(false, place, out);
}

}  // namespace oddtile::oracles
