#include "properties/arithmetic/fragments.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/assert.h"
#include "kernels/base/bits.h"

namespace oddtile::properties {
namespace {

// A 16-bit element of a row of a: the lane, the word of its four, and the half.
int64_t a_word(int64_t fragment, int row, int k) {
  const int lane = row % 8 * 4 + k % 8 / 2;
  return (fragment * Fragments::kLanes + lane) * 4 + row / 8 + 2 * (k / 8);
}
int64_t b_word(int64_t fragment, int k, int column) {
  return (fragment * Fragments::kLanes + column * 4 + k % 8 / 2) * 2 + k / 8;
}

void set_half(uint32_t& word, int half, uint16_t bits) {
  word = half == 0 ? (word & 0xFFFF0000u) | bits : (word & 0xFFFFu) | uint32_t(bits) << 16;
}
uint16_t half_of(uint32_t word, int half) {
  return uint16_t(word >> (16 * half));
}

// What all elements of one fragment have in common.
struct Family {
  bool bfloat16;
  int spread;
  int center;
  uint32_t zeros;  // of 32 elements of a

  uint16_t element(Random& random, uint32_t zero_share) const {
    const int fraction = bfloat16 ? 7 : 10, bias = bfloat16 ? 127 : 15;
    const uint32_t low = random.below(1u << fraction);
    const uint32_t sign = random.below(2) << 15;
    const uint32_t kind = random.below(32);
    if (kind < zero_share) return uint16_t(sign);
    if (kind == 31) return uint16_t(sign | low);
    const int field = bias + center + int(random.between(-spread, spread));
    return uint16_t(sign | uint32_t(std::clamp(field, 0, 2 * bias)) << fraction | low);
  }
  float addend(Random& random) const {
    const uint32_t kind = random.below(8);
    if (kind == 0) return 0;
    const int exponent = 2 * center + int(random.between(-2 * spread, 2 * spread));
    return std::ldexp(float(random.normal()), std::clamp(exponent, -140, 100));
  }
};

// Device memory for the length of a call.
class Block {
 public:
  Block(Machine& machine, int64_t bytes)
      : machine_(machine), bytes_(bytes), address_(machine.allocate(std::max<int64_t>(bytes, 1))) {}
  ~Block() { machine_.release(address_); }
  Block(const Block&) = delete;
  template <class T>
  void fill_from(const std::vector<T>& values) {
    machine_.copy_in(address_, values.data(), int64_t(values.size() * sizeof(T)));
  }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> values(size_t(bytes_) / sizeof(T));
    machine_.copy_out(values.data(), address_, bytes_);
    return values;
  }
  void allow(const char* name) const { machine_.allow(address_, bytes_, name); }
  template <class T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  Machine& machine_;
  int64_t bytes_;
  void* address_;
};

template <class Result, class Launch>
std::optional<std::vector<Result>> map(Machine& machine, const std::vector<uint32_t>& arguments,
                                       Launch&& launch) {
  const auto count = int64_t(arguments.size());
  Block in(machine, count * 4), out(machine, count * int64_t(sizeof(Result)));
  in.fill_from(arguments);
  machine.begin(0);
  in.allow("arguments");
  out.allow("results");
  if (!launch(in.as<uint32_t>(), out.as<Result>(), count) || !machine.synchronise().empty())
    return std::nullopt;
  return out.template read<Result>();
}

}  // namespace

Fragments::Fragments(bool in_bfloat16, int64_t fragments)
    : bfloat16(in_bfloat16),
      count(fragments),
      a(size_t(fragments) * kLanes * 4),
      b(size_t(fragments) * kLanes * 2),
      addend(size_t(fragments) * kLanes * 4) {}

void Fragments::set_a(int64_t fragment, int row, int k, uint16_t bits) {
  set_half(a[size_t(a_word(fragment, row, k))], k % 2, bits);
}
void Fragments::set_b(int64_t fragment, int k, int column, uint16_t bits) {
  set_half(b[size_t(b_word(fragment, k, column))], k % 2, bits);
}
void Fragments::a_row(int64_t fragment, int row, uint16_t (&out)[kProducts]) const {
  for (int k = 0; k < kProducts; ++k) out[k] = half_of(a[size_t(a_word(fragment, row, k))], k % 2);
}
void Fragments::b_column(int64_t fragment, int column, uint16_t (&out)[kProducts]) const {
  for (int k = 0; k < kProducts; ++k)
    out[k] = half_of(b[size_t(b_word(fragment, k, column))], k % 2);
}
int64_t Fragments::sum_index(int64_t fragment, int row, int column) {
  const int lane = row % 8 * 4 + column / 2;
  return (fragment * kLanes + lane) * 4 + row / 8 * 2 + column % 2;
}

Fragments random_fragments(bool bfloat16, int64_t count, Random random) {
  constexpr int kCenters[] = {0, 0, 0, -40, -62, 20};  // bf16: also results that are subnormal
  Fragments out(bfloat16, count);
  for (int64_t f = 0; f < count; ++f) {
    const Family family = {bfloat16, int(random.below(21)),
                           bfloat16 ? kCenters[random.below(6)] : 0,
                           random.below(4) == 0 ? 28u : 1u};
    const bool cancels = random.below(2) != 0;
    for (int row = 0; row < Fragments::kRows; ++row) {
      for (int k = 0; k < Fragments::kProducts; ++k)
        out.set_a(f, row, k, family.element(random, family.zeros));
      if (!cancels) continue;
      // Product k against the one before it; column 0 to 3 of b are alike there.
      uint16_t values[Fragments::kProducts];
      out.a_row(f, row, values);
      const int k = 1 + int(random.below(Fragments::kProducts - 1));
      out.set_a(f, row, k, uint16_t(values[k - 1] ^ 0x8000u));
    }
    for (int column = 0; column < Fragments::kColumns; ++column)
      for (int k = 0; k < Fragments::kProducts; ++k) {
        uint16_t above[Fragments::kProducts];
        out.b_column(f, column, above);
        const bool alike = cancels && column < 4 && k > 0;
        out.set_b(f, k, column, alike ? above[k - 1] : family.element(random, 1));
      }
    for (int64_t i = 0; i < 4 * Fragments::kLanes; ++i)
      out.addend[size_t(f * 4 * Fragments::kLanes + i)] = family.addend(random);
  }
  return out;
}

void set_small_differences(Fragments& fragments) {
  ODDTILE_ASSERT(fragments.bfloat16);
  constexpr int64_t kDifferences = 24;
  const auto bits = [](double value) { return float_to_bfloat16(float(value)).bits; };
  for (int64_t f = 0; f < std::min(kDifferences, fragments.count); ++f) {
    for (int k = 0; k < Fragments::kProducts; ++k) fragments.set_a(f, 0, k, 0);
    fragments.set_a(f, 0, 0, bits(0x1p-49));
    fragments.set_a(f, 0, 1, bits(-std::ldexp(1.0, int(-50 - f))));
    for (int k = 0; k < 2; ++k) fragments.set_b(f, k, 0, bits(0x1p-100));
    fragments.addend[size_t(Fragments::sum_index(f, 0, 0))] = 0;
  }
}

std::optional<std::vector<float>> multiply(Machine& machine, ProbeProduct product,
                                           const Fragments& fragments) {
  const ArithmeticProbes* probes = machine.probes();
  if (probes == nullptr) return std::nullopt;
  const auto bytes = [](const auto& values) { return int64_t(values.size() * 4); };
  Block a(machine, bytes(fragments.a)), b(machine, bytes(fragments.b));
  Block addend(machine, bytes(fragments.addend)), sum(machine, bytes(fragments.addend));
  a.fill_from(fragments.a);
  b.fill_from(fragments.b);
  addend.fill_from(fragments.addend);
  machine.begin(0);
  a.allow("a");
  b.allow("b");
  addend.allow("addend");
  sum.allow("sum");
  const ProbeFragments operands = {a.as<uint32_t>(), b.as<uint32_t>(), addend.as<float>(),
                                   sum.as<float>(), fragments.count};
  if (!probes->multiply(product, fragments.bfloat16, operands, machine.stream()) ||
      !machine.synchronise().empty())
    return std::nullopt;
  return sum.read<float>();
}

std::optional<std::vector<uint32_t>> evaluate(Machine& machine, ProbeFunction function,
                                              const std::vector<uint32_t>& arguments) {
  const ArithmeticProbes* probes = machine.probes();
  if (probes == nullptr) return std::nullopt;
  return map<uint32_t>(machine, arguments, [&](const uint32_t* in, uint32_t* out, int64_t count) {
    return probes->evaluate(function, in, out, count, machine.stream());
  });
}

std::optional<std::vector<double>> reference(Machine& machine, ProbeFunction function,
                                             const std::vector<uint32_t>& arguments) {
  const ArithmeticProbes* probes = machine.probes();
  if (probes == nullptr) return std::nullopt;
  return map<double>(machine, arguments, [&](const uint32_t* in, double* out, int64_t count) {
    return probes->reference(function, in, out, count, machine.stream());
  });
}

std::optional<ProbeSweep> sweep(Machine& machine, ProbeFunction function) {
  const ArithmeticProbes* probes = machine.probes();
  if (probes == nullptr) return std::nullopt;
  Block result(machine, sizeof(ProbeSweep));
  result.fill_from(std::vector<ProbeSweep>(1));
  if (!probes->sweep(function, result.as<ProbeSweep>(), machine.stream()) ||
      !machine.synchronise().empty())
    return std::nullopt;
  return result.read<ProbeSweep>()[0];
}

}  // namespace oddtile::properties
