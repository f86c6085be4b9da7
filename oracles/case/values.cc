#include "oracles/case/values.h"

#include <cmath>
#include <limits>

#include "oracles/case/elements.h"

namespace oddtile::oracles {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class RowMaker {
 public:
  RowMaker(oddtile_dtype dtype, Random tensor, RowPart part, std::span<float> out)
      : dtype_(dtype),
        part_(part),
        out_(out),
        row_(tensor.split(uint64_t(part.row))),
        random_(row_.split(uint64_t(part.begin / kChunk))),
        kind_(int(row_.below(4))) {}

  void make(Values values);

 private:
  template <class Function>
  void each(Function function) {
    for (size_t i = 0; i < out_.size(); ++i) out_[i] = float(function(part_.begin + int64_t(i)));
  }
  bool edge(int64_t column) const { return is_edge(column, part_.columns); }
  double sign() { return (random_.next() & 1) != 0 ? -1 : 1; }

  void around(double centre, double boost, double spread);
  void deeper();
  void slope(bool falling);
  void last_max();
  void one_hot();
  void negative_infinities();
  void specials();
  void bits();
  float any_special();

  oddtile_dtype dtype_;
  RowPart part_;
  std::span<float> out_;
  Random row_;     // the same in every part of a row
  Random random_;  // of this part
  int kind_;       // rows of one tensor differ in kind
};

void RowMaker::around(double centre, double boost, double spread) {
  each([&](int64_t column) {
    return centre + (edge(column) ? boost : 0) + spread * random_.normal();
  });
}

// Exact multiples, so that ties stay ties: the fused exponent fails on them from 2^22 on.
void RowMaker::deeper() {
  const double base = dtype_ == oddtile_fp16 ? -32768.0 : -0x1p33;
  each([&](int64_t column) {
    const int tier = edge(column) ? 0 : int(random_.below(3)) / 2;
    return base * (1 + tier / 64.0);
  });
}

// Rises over every tile as far as the type's grid allows; ends at 0, where the grid is finest.
void RowMaker::slope(bool falling) {
  const double columns = double(part_.columns);
  const double span = std::min(64.0, std::max(4.0, columns / 64)) * (kind_ == 3 ? 2 : 1);
  const double step = std::min(0.5, span / std::max(1.0, columns));
  each([&](int64_t column) {
    const int64_t from_top = falling ? column : part_.columns - 1 - column;
    return -step * double(from_top);
  });
}

void RowMaker::last_max() {
  const double top = kind_ == 3 ? 1000 : 3 + 0.7 * std::bit_width(uint64_t(part_.columns));
  each([&](int64_t column) {
    const double noise = 0.5 * random_.normal();
    return column == part_.columns - 1 ? top : noise + (edge(column) ? 1 : 0);
  });
}

void RowMaker::one_hot() {
  const int64_t choices[] = {0, part_.columns - 1, std::min<int64_t>(part_.columns - 1, 16),
                             row_.between(0, std::max<int64_t>(0, part_.columns - 1))};
  const int64_t hot = choices[kind_];
  each([&](int64_t column) { return column == hot ? 40.0 : -40.0 + double(random_.below(8)); });
}

void RowMaker::negative_infinities() {
  each([&](int64_t column) -> double {
    const double ordinary = random_.normal() + (edge(column) ? 2 : 0);
    return kind_ == 1 || random_.below(3) == 0 ? -kInfinity : ordinary;
  });
}

float RowMaker::any_special() {
  const float table[] = {kNan,
                         kInfinity,
                         -kInfinity,
                         0.0f,
                         -0.0f,
                         smallest_of(dtype_),
                         -smallest_of(dtype_),
                         smallest_normal_of(dtype_),
                         largest_of(dtype_),
                         -largest_of(dtype_),
                         1.0f};
  return table[random_.below(std::size(table))];
}

// Row families: kind 0 holds one NaN, 1 one +inf, 2 some -inf, 3 only zeros of both signs and
// subnormals. A NaN everywhere would leave nothing to compare.
void RowMaker::specials() {
  if (part_.elementwise) {
    return each([&](int64_t) { return any_special(); });
  }
  const int64_t place = row_.between(0, std::max<int64_t>(0, part_.columns - 1));
  each([&](int64_t column) -> float {
    if (kind_ < 2 && column == place) return kind_ == 0 ? kNan : kInfinity;
    if (kind_ == 2 && random_.below(4) == 0) return -kInfinity;
    if (random_.below(2) == 0) {
      const float small[] = {0.0f, -0.0f, smallest_of(dtype_), -smallest_normal_of(dtype_)};
      return small[random_.below(4)];
    }
    return float(random_.normal());
  });
}

void RowMaker::bits() {
  each([&](int64_t) {
    const uint32_t bits = uint32_t(random_.next() >> 32);
    if (dtype_ == oddtile_fp16) return half_to_float({uint16_t(bits)});
    if (dtype_ == oddtile_bf16) return bfloat16_to_float({uint16_t(bits)});
    return std::bit_cast<float>(bits);
  });
}

void RowMaker::make(Values values) {
  switch (values) {
    case Values::integers:
      return each(
          [&](int64_t column) { return int(random_.below(9)) - 4 + (edge(column) ? 4 : 0); });
    case Values::noise:
      return each([&](int64_t) { return random_.normal(); });
    case Values::zeros:
      return each([&](int64_t) { return 0.0 * sign(); });
    case Values::level:
      return around(-200, 1, 0.25);
    case Values::deep:  // every fourth row far enough apart for bfloat16's grid of 256
      return kind_ == 3 ? around(-60000, 256, 64) : around(-60000, 2, 0.5);
    case Values::deeper:
      return deeper();
    case Values::high:
      return around(100, 2, 0.5);
    case Values::rising:
      return slope(false);
    case Values::falling:
      return slope(true);
    case Values::last_max:
      return last_max();
    case Values::ties:
      return each([&](int64_t column) { return edge(column) ? 3 : int(random_.below(2)) * 3; });
    case Values::one_hot:
      return one_hot();
    case Values::tiny:
      return each(
          [&](int64_t) { return sign() * random_.unit() * 2 * smallest_normal_of(dtype_); });
    case Values::huge:
      return each(
          [&](int64_t) { return sign() * (0.5 + 0.5 * random_.unit()) * largest_of(dtype_); });
    case Values::negative_infinities:
      return negative_infinities();
    case Values::specials:
      return specials();
    case Values::bits:
      return bits();
  }
}

}  // namespace

void fill_values(Values values, oddtile_dtype dtype, Random tensor, RowPart part,
                 std::span<float> out) {
  RowMaker(dtype, tensor, part, out).make(values);
}

float masked_value(oddtile_dtype dtype, Random& random, float ordinary) {
  switch (random.below(6)) {
    case 0:
      return kNan;
    case 1:
      return kInfinity;
    case 2:
      return -kInfinity;
    case 3:
      return largest_of(dtype);
    case 4:
      return 1000.0f;
    default:
      return ordinary;
  }
}

}  // namespace oddtile::oracles
