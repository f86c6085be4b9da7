#include "properties/search/moves.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "oracles/case/sizes.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

template <class Item, size_t count>
Item pick(Random& random, const Item (&items)[count]) {
  return items[random.below(uint32_t(count))];
}

constexpr Values kValues[] = {Values::integers, Values::noise,   Values::noise,    Values::level,
                              Values::high,     Values::rising,  Values::falling,  Values::last_max,
                              Values::ties,     Values::one_hot, Values::integers, Values::deep};
constexpr Scores kScores[] = {Scores::integers, Scores::noise,     Scores::noise, Scores::zeros,
                              Scores::level,    Scores::high,      Scores::deep,  Scores::rising,
                              Scores::falling,  Scores::last_max,  Scores::ties,  Scores::peaked,
                              Scores::noise,    Scores::cancelling};
constexpr Contents kContents[] = {Contents::one_hot, Contents::noise,      Contents::noise,
                                  Contents::ones,    Contents::cancelling, Contents::large,
                                  Contents::coded};
constexpr int64_t kLengths[] = {2, 2, 3, 4, 5, 8, 16, 17, 24, 33, 48, 64, 100};
constexpr int64_t kHeads[] = {1, 2, 4, 8, 16, 16, 17, 32, 32, 48, 64};

void draw_field(SoftmaxCase& c, Random& random) {
  switch (random.below(3)) {
    case 0:
      c.columns = pick(random, kLengths) * (random.below(4) == 0 ? 5 : 1);
      return;
    case 1:
      c.values = pick(random, kValues);
      return;
    default:
      c.rows = random.between(1, 4);
  }
}

void draw_field(AttentionCase& c, Random& random) {
  switch (random.below(6)) {
    case 0:
      c.seq_k = pick(random, kLengths) * (random.below(8) == 0 ? 4 : 1);
      return;
    case 1:
      c.head_dim = pick(random, kHeads);
      return;
    case 2:
      c.scale = random.below(3) != 0
                    ? usual_scale(c.head_dim)
                    : interesting_scales()[random.below(uint32_t(interesting_scales().size()))];
      return;
    case 3:
      c.scores = pick(random, kScores);
      return;
    case 4:
      c.contents = pick(random, kContents);
      return;
    default:
      c.seq_q = random.between(1, 4);
  }
}

void draw_field(VectorAddCase& c, Random& random) {
  c.n = pick(random, kLengths);
}

// ---- numbers ----

struct Format {
  int bytes;
  int fraction_bits;
};
Format format_of(Element element) {
  return element == Element::fp32   ? Format{4, 23}
         : element == Element::fp16 ? Format{2, 10}
                                    : Format{2, 7};
}

class Numbers {
 public:
  explicit Numbers(Tensor& tensor) : tensor_(tensor), format_(format_of(tensor.element)) {}

  uint32_t get(int64_t at) const {
    uint32_t bits = 0;
    std::memcpy(&bits, tensor_.bytes.data() + at * format_.bytes, size_t(format_.bytes));
    return bits;
  }
  void set(int64_t at, uint32_t bits) {
    std::memcpy(tensor_.bytes.data() + at * format_.bytes, &bits, size_t(format_.bytes));
  }

  // A logical element.
  int64_t anywhere(Random& random) const {
    int64_t at[4];
    for (int d = 0; d < 4; ++d) at[d] = int64_t(random.below(uint32_t(tensor_.sizes[d])));
    return tensor_.index(at[0], at[1], at[2], at[3]);
  }

  // Applies `move` to one element, to the row of one, or to all.
  template <class Move>
  void apply(uint32_t scope, Random& random, Move&& move) {
    if (scope == 0) {
      const int64_t at = anywhere(random);
      return set(at, move(get(at)));
    }
    int64_t low[4], high[4];
    for (int d = 0; d < 4; ++d) {
      low[d] = scope == 2 || d == 3 ? 0 : int64_t(random.below(uint32_t(tensor_.sizes[d])));
      high[d] = scope == 2 || d == 3 ? tensor_.sizes[d] : low[d] + 1;
    }
    for (int64_t b = low[0]; b < high[0]; ++b)
      for (int64_t h = low[1]; h < high[1]; ++h)
        for (int64_t i = low[2]; i < high[2]; ++i)
          for (int64_t x = low[3]; x < high[3]; ++x) {
            const int64_t at = tensor_.index(b, h, i, x);
            set(at, move(get(at)));
          }
  }

  void change(Random& random) {
    const uint32_t sign = 1u << (8 * format_.bytes - 1);
    const uint32_t fraction = (1u << format_.fraction_bits) - 1;
    const uint32_t scope = random.below(8) < 5 ? 0 : 1 + (random.below(3) == 0);
    const uint32_t other = get(anywhere(random));
    const bool up = random.below(2) == 0;
    switch (random.below(7)) {
      case 0:  // a few ulp
        return apply(scope, random, [&](uint32_t bits) {
          const uint32_t step = 1 + random.below(4);
          const uint32_t size = bits & ~sign;
          return (bits & sign) | (up ? size + step : size - std::min(size, step));
        });
      case 1:  // all fraction bits
        return apply(scope, random, [&](uint32_t bits) {
          return (bits & ~fraction) | (uint32_t(random.next()) & fraction);
        });
      case 2:  // some of them
        return apply(scope, random, [&](uint32_t bits) {
          return bits ^ (uint32_t(random.next()) & fraction & 0xF);
        });
      case 3:  // twice or half of it
        return apply(scope, random, [&](uint32_t bits) {
          const uint32_t size = bits & ~sign;
          if (!up && size <= fraction) return bits;
          return up ? bits + fraction + 1 : bits - fraction - 1;
        });
      case 4:
        return apply(scope, random, [&](uint32_t bits) { return bits ^ sign; });
      case 5:  // one sign
        return apply(scope, random, [&](uint32_t bits) { return bits & ~sign; });
      default:
        return apply(scope, random, [&](uint32_t) { return other; });
    }
  }

 private:
  Tensor& tensor_;
  Format format_;
};

}  // namespace

Case small_case(const Cell& cell, Random& random) {
  Case subject;
  if (cell.kernel == oddtile_kernel_softmax) {
    subject.problem = SoftmaxCase{.dtype = cell.dtype, .columns = 16, .values = Values::noise};
  } else if (cell.kernel == oddtile_kernel_attention) {
    subject.problem = AttentionCase{
        .dtype = cell.dtype, .seq_k = 16, .scores = Scores::noise, .contents = Contents::noise};
  } else {
    subject.problem = VectorAddCase{.dtype = cell.dtype, .n = 16};
  }
  for (int fields = 0; fields < 6; ++fields)
    std::visit([&](auto& problem) { draw_field(problem, random); }, subject.problem);
  subject.seed = random.next() >> 16;
  subject.configuration = int64_t(random.below(64));
  return subject;
}

Case neighbour(const Case& subject, Random& random) {
  Case near = subject;
  const uint32_t fields = 1 + random.below(2);
  for (uint32_t i = 0; i < fields; ++i) {
    switch (random.below(4)) {
      case 0:
        near.configuration = int64_t(random.below(64));
        break;
      case 1:
        near.seed = random.next() >> 16;
        break;
      default:
        std::visit([&](auto& problem) { draw_field(problem, random); }, near.problem);
    }
  }
  return near;
}

void change_numbers(Workload& workload, Random& random) {
  std::vector<Tensor*> inputs;
  for (Tensor& tensor : workload.tensors) {
    const bool number = tensor.element != Element::byte && tensor.element != Element::int32;
    if (number && !tensor.is_output && tensor.alias_of < 0 && tensor.count() > 0)
      inputs.push_back(&tensor);
  }
  const uint32_t moves = 1 + random.below(3);
  for (uint32_t i = 0; i < moves && !inputs.empty(); ++i)
    Numbers(*inputs[random.below(uint32_t(inputs.size()))]).change(random);
}

}  // namespace oddtile::properties
