#include "fuzz/codec/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/assert.h"
#include "oracles/case/fields.h"
#include "oracles/case/sizes.h"

namespace oddtile::fuzz {
namespace {

using namespace oracles;
using Name = std::string_view;

// Values that fuzzing draws for an integer field, a part of its domain, and the sizes it prefers.
// A field with sizes owns two bytes, else one.
struct Range {
  int64_t lowest;
  int64_t highest;
  std::span<const int64_t> sizes;
};

Range range_of(Name name, Domain domain) {
  if (name == "n") return {0, 5000, interesting_columns()};
  if (name == "columns") return {0, 5000, interesting_columns()};
  if (name == "seq_q" || name == "seq_k") return {0, 300, interesting_lengths()};
  if (name == "head_dim") return {1, 256, interesting_head_sizes()};
  if (name == "config") return {-1, 62, {}};  // softmax offers a problem up to 35
  if (name == "batch") return {0, 6, {}};
  if (name == "heads_kv") return {1, 4, {}};
  if (name == "group") return {1, 8, {}};
  if (name == "rows") return {0, 40, {}};
  return {domain.lowest, std::min<int64_t>(domain.highest, domain.lowest + 63), {}};
}

bool is_pattern(Domain domain) {
  return domain.lowest == std::numeric_limits<int64_t>::min();
}
bool is_band(Domain domain) {
  return domain.lowest == -kUnbounded;
}

// Scales other than a raw float: the interesting ones, then 1 / sqrt of interesting head sizes.
float listed_scale(uint64_t index) {
  const auto scales = interesting_scales();
  const auto sizes = interesting_head_sizes();
  index %= scales.size() + sizes.size();
  return index < scales.size() ? scales[index] : usual_scale(sizes[index - scales.size()]);
}

int64_t wrapped(int64_t value, int64_t lowest, int64_t highest) {
  const int64_t span = highest - lowest + 1;
  return lowest + ((value - lowest) % span + span) % span;
}

// Limits near +-2^62 and next to the sentinels, where 64-bit arithmetic would overflow.
int64_t far_limit(uint64_t code) {
  const int64_t magnitude = (code & 2) != 0 ? kUnbounded - 1 : int64_t(1) << (31 + code / 4 % 32);
  return (code & 1) != 0 ? -magnitude : magnitude;
}

struct Decoder {
  std::span<const uint8_t> bytes;
  size_t at = 0;

  uint64_t take(int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i, ++at) {
      if (at < bytes.size()) value |= uint64_t(bytes[at]) << (8 * i);
    }
    return value;
  }

  void operator()(Name name, int64_t& value, Domain domain) {
    if (is_pattern(domain)) {
      value = int64_t(take(8));
      return;
    }
    if (is_band(domain)) {
      const uint64_t kind = take(1) % 4;
      const uint64_t code = take(2);
      const auto lengths = interesting_lengths();
      const int64_t listed = lengths[code % lengths.size()];
      value = kind == 0   ? domain.simplest
              : kind == 1 ? int64_t(int16_t(code))
              : kind == 2 ? (code >= 0x8000 ? -listed : listed)
                          : far_limit(code);
      return;
    }
    const Range range = range_of(name, domain);
    if (range.sizes.empty()) {
      value = wrapped(domain.simplest + int64_t(take(1)), range.lowest, range.highest);
      return;
    }
    const uint64_t code = take(2);  // upper half of the codes: a preferred size
    value = code < 0x8000 ? wrapped(domain.simplest + int64_t(code), range.lowest, range.highest)
                          : range.sizes[(code & 0xFF) % range.sizes.size()];
  }
  void operator()(Name, double& value) {
    const uint64_t kind = take(1) % 3;
    const uint64_t code = take(4);
    if (kind == 1) value = double(listed_scale(code));
    if (kind != 2) return;
    const float raw = std::bit_cast<float>(uint32_t(code));
    if (std::isfinite(raw)) value = double(raw);
  }
  template <class Enum>
  void operator()(Name, Enum& value, std::span<const Name> names) {
    value = Enum((uint64_t(value) + take(1)) % names.size());
  }
};

// Walks the case with a plain one in step, since codes count from the plain value.
struct Encoder {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> plain;  // enumerators, in order
  size_t enumerators = 0;
  bool exact = true;  // every field could be said

  void put(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(uint8_t(value >> (8 * i)));
  }

  void put_band(int64_t value, Domain domain) {
    if (value == domain.simplest) return put(0, 3);
    if (value == int16_t(value)) {
      put(1, 1);
      return put(uint16_t(value), 2);
    }
    for (uint64_t code = 0; code < 128; ++code) {
      if (far_limit(code) != value) continue;
      put(3, 1);
      return put(code, 2);
    }
    exact = false;
    put(0, 3);
  }

  void operator()(Name name, int64_t& value, Domain domain) {
    if (is_pattern(domain)) return put(uint64_t(value), 8);
    if (is_band(domain)) return put_band(value, domain);
    const Range range = range_of(name, domain);
    const int64_t clamped = std::clamp(value, range.lowest, range.highest);
    exact = exact && clamped == value;
    const int64_t span = range.highest - range.lowest + 1;
    const int64_t code = ((clamped - domain.simplest) % span + span) % span;
    put(uint64_t(code), range.sizes.empty() ? 1 : 2);
  }
  void operator()(Name, double& value) {
    if (value == AttentionCase{}.scale) return put(0, 5);
    put(2, 1);
    put(std::bit_cast<uint32_t>(float(value)), 4);
  }
  template <class Enum>
  void operator()(Name, Enum& value, std::span<const Name> names) {
    const uint64_t base = plain.empty() ? 0 : plain[enumerators++];
    put((uint64_t(value) + names.size() - base) % names.size(), 1);
  }
};

struct CollectEnumerators {
  std::vector<uint64_t> values;
  void operator()(Name, int64_t&, Domain) {}
  void operator()(Name, double&) {}
  template <class Enum>
  void operator()(Name, Enum& value, std::span<const Name>) {
    values.push_back(uint64_t(value));
  }
};

Case plain_case(oddtile_kernel kernel) {
  if (kernel == oddtile_kernel_vector_add) return {VectorAddCase{}};
  if (kernel == oddtile_kernel_softmax) return {SoftmaxCase{}};
  return {AttentionCase{}};
}

// Fields that must follow others; only where the case would be impossible.
void repair(VectorAddCase& c) {
  if (c.alias == Alias::x) c.out_offset = c.x_offset;
  if (c.alias == Alias::y) c.out_offset = c.y_offset;
  c.n = std::min(c.n, kFuzzWork);
}

void repair(SoftmaxCase& c) {
  if (c.alias == Alias::y) c.alias = Alias::x;
  if (c.alias == Alias::x) {
    c.y_offset = c.x_offset;
    c.y_pad = c.x_pad;
    c.x_layout = RowLayout::dense;
  }
  while (work_of({c}) > kFuzzWork) c.rows /= 2;
}

void repair(AttentionCase& c) {
  if (c.dtype == oddtile_fp32) c.dtype = oddtile_bf16;
  if (c.o_layout == Layout::broadcast || c.o_layout == Layout::reversed) c.o_layout = Layout::bshd;
  while (work_of({c}) > kFuzzWork) {
    const int64_t heads = std::max({c.batch, c.heads_kv, c.group});
    int64_t& length = c.seq_q > c.seq_k ? c.seq_q : c.seq_k;
    if (length > 32 * heads || heads == 1) {
      length /= 2;
    } else {
      int64_t& most = c.batch == heads ? c.batch : c.heads_kv == heads ? c.heads_kv : c.group;
      most = (most + 1) / 2;
    }
  }
}

Encoder encoded(Case subject) {
  Case plain = plain_case(subject.kernel());
  CollectEnumerators collect;
  for_each_field(plain, collect);
  Encoder encoder;
  encoder.plain = std::move(collect.values);
  for_each_field(subject, encoder);
  return encoder;
}

}  // namespace

Case decode(oddtile_kernel kernel, std::span<const uint8_t> bytes) {
  Case subject = plain_case(kernel);
  for_each_field(subject, Decoder{bytes});
  std::visit([](auto& problem) { repair(problem); }, subject.problem);
  ODDTILE_ASSERT(impossible(subject).empty());
  return subject;
}

bool in_fuzz_range(const Case& subject) {
  return impossible(subject).empty() && work_of(subject) <= kFuzzWork && encoded(subject).exact;
}

std::vector<uint8_t> encode(const Case& subject) {
  return encoded(subject).bytes;
}

int64_t encoded_bytes(oddtile_kernel kernel) {
  return int64_t(encode(plain_case(kernel)).size());
}

}  // namespace oddtile::fuzz
