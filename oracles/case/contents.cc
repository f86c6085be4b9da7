#include <cmath>
#include <limits>

#include "oracles/case/elements.h"
#include "oracles/case/scores.h"

namespace oddtile::oracles {
namespace {

// The index of the key in binary, one digit a column as +1 or -1, scaled so that columns beyond the
// digits still differ: any key dropped, repeated or moved changes some column.
float code(int64_t key, int64_t head, int64_t column) {
  constexpr int64_t kDigits = 20;
  const int64_t mixed = key * 5 + head * 3 + 1;  // odd factor: distinct keys stay distinct
  const bool digit = ((mixed >> (column % kDigits)) & 1) != 0;
  return (digit ? 1.0f : -1.0f) * (1.0f + 0.25f * float(column / kDigits));
}

}  // namespace

// v differs from head to head, so that a wrong head map cannot hide.
void make_contents(const AttentionCase& c, Random tensor, HeadRow place, float* out) {
  Random random =
      tensor.split(uint64_t(place.batch)).split(uint64_t(place.head)).split(uint64_t(place.row));
  const int64_t d = c.head_dim;
  const int64_t head = place.batch * c.heads_kv + place.head;
  const auto each = [&](auto value) {
    for (int64_t x = 0; x < d; ++x) out[x] = float(value(x));
  };
  switch (c.contents) {
    case Contents::one_hot: {
      const int64_t hot = (place.row + head) % d;
      const float height = 1.0f + 0.25f * float(head % 3);
      return each([&](int64_t x) { return x == hot ? height : 0.0f; });
    }
    case Contents::noise:
      return each([&](int64_t) { return random.normal(); });
    case Contents::ones:
      return each([](int64_t) { return 1.0f; });
    case Contents::cancelling:  // neighbours of opposite sign: what is left of the sum is small
      return each([&](int64_t x) {
        const double sign = (place.row + x) % 2 == 0 ? 1 : -1;
        return sign * (64 + 8 * double(random.below(4))) + random.normal();
      });
    case Contents::large:
      return each([&](int64_t) { return 1024 + 64 * double(random.below(8)); });
    case Contents::coded:
      if (d >= 20) return each([&](int64_t x) { return code(place.row, head, x); });
      return each([&](int64_t x) {  // too few columns for the digits: a residue instead
        return double((place.row * (2 * x + 37) + head * 11) % 127) - 63;
      });
    case Contents::specials: {
      const float strong[] = {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(), largest_of(c.dtype)};
      const float weak[] = {0.0f, -0.0f, smallest_of(c.dtype), -smallest_normal_of(c.dtype)};
      each([&](int64_t) {
        return random.below(4) == 0 ? double(weak[random.below(4)]) : random.normal();
      });
      // One key in four ruins one column, the others must stay as they are. Even columns are never
      // ruined, or no number would be left to judge: a head of one column is spared in even heads.
      const uint32_t ruinable = uint32_t(d == 1 ? head % 2 : d / 2);
      if (random.below(4) == 0 && ruinable > 0)
        out[d == 1 ? 0 : 2 * random.below(ruinable) + 1] = strong[random.below(4)];
      return;
    }
  }
}

}  // namespace oddtile::oracles
