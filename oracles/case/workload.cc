#include "oracles/case/workload.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/assert.h"
#include "kernels/base/bits.h"
#include "kernels/base/random.h"
#include "oracles/case/elements.h"
#include "oracles/case/layout.h"
#include "oracles/case/masks.h"
#include "oracles/case/parallel.h"
#include "oracles/case/poison.h"
#include "oracles/case/scores.h"
#include "oracles/case/values.h"

namespace oddtile::oracles {
namespace {

// Every tensor draws from its own stream: another mask does not change x.
Random stream_of(const Case& subject, Role role) {
  return Random(subject.seed).split(uint64_t(role));
}

// Indices that differ in memory: a dimension of stride 0 is written once.
int64_t distinct(const Tensor& tensor, int dim) {
  return tensor.strides[dim] == 0 ? std::min<int64_t>(1, tensor.sizes[dim]) : tensor.sizes[dim];
}

// body(i0, i1, i2, begin, end) over the rows of a tensor, long rows in chunks.
template <class Body>
void for_each_part(const Tensor& tensor, const Body& body) {
  const int64_t columns = distinct(tensor, 3);
  const int64_t chunks = ceil_div(columns, kChunk);
  const int64_t n1 = distinct(tensor, 1);
  const int64_t n2 = distinct(tensor, 2);
  const int64_t parts = distinct(tensor, 0) * n1 * n2 * chunks;
  const int64_t grain = std::max<int64_t>(1, kChunk / std::max<int64_t>(1, columns));
  parallel_for(parts, grain, parts * std::min(columns, kChunk), [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t row = part / chunks;
      const int64_t begin = part % chunks * kChunk;
      body(row / (n1 * n2), row / n2 % n1, row % n2, begin, std::min(columns, begin + kChunk));
    }
  });
}

void make_mask(const Case& subject, MaskKind kind, Tensor& mask, bool may_hide_row) {
  const Random random = stream_of(subject, Role::mask);
  const int64_t columns = distinct(mask, 3);
  for_each_part(mask, [&](int64_t i0, int64_t i1, int64_t i2, int64_t begin, int64_t end) {
    uint8_t part[kChunk];
    const int64_t row = (i0 * mask.sizes[1] + i1) * mask.sizes[2] + i2;
    fill_mask(kind, random, {row, columns, begin, may_hide_row},
              std::span(part, size_t(end - begin)));
    for (int64_t i3 = begin; i3 < end; ++i3) {
      mask.bytes[size_t(mask.index(i0, i1, i2, i3))] = std::byte(part[i3 - begin]);
    }
  });
}

// Whether nobody sees what (i0, i1, i2, i3) of a tensor of the mask's sizes holds; a row of stride
// 0 is every row's.
bool hides(const Tensor& mask, const Tensor& tensor, int64_t i0, int64_t i1, int64_t i2,
           int64_t i3) {
  const int64_t last = tensor.strides[2] == 0 ? tensor.sizes[2] - 1 : i2;
  for (int64_t row = i2; row <= last; ++row) {
    if (mask.bytes[size_t(mask.index(i0, i1, row, i3))] != std::byte{0}) return false;
  }
  return true;
}

void make_values(const Case& subject, Values values, oddtile_dtype dtype, Tensor& tensor,
                 const Tensor* mask) {
  const bool elementwise = subject.kernel() == oddtile_kernel_vector_add;
  const Random random = stream_of(subject, tensor.role);
  for_each_part(tensor, [&](int64_t i0, int64_t i1, int64_t i2, int64_t begin, int64_t end) {
    float part[kChunk];
    fill_values(values, dtype, random, {i2, tensor.sizes[3], begin, elementwise},
                std::span(part, size_t(end - begin)));
    if (mask != nullptr && values != Values::zeros) {
      Random other = random.split(~uint64_t(i2)).split(uint64_t(begin));
      for (int64_t i3 = begin; i3 < end; ++i3) {
        if (!hides(*mask, tensor, i0, i1, i2, i3)) continue;
        part[i3 - begin] = masked_value(dtype, other, part[i3 - begin]);
      }
    }
    store_row(tensor.bytes.data(), tensor.element, tensor.index(i0, i1, i2, begin), part,
              end - begin);
  });
}

// What stood in masked elements of vector add's output before: any bits, and they must stay.
void make_old_output(const Case& subject, Tensor& out, const Tensor& mask) {
  const Random random = stream_of(subject, Role::out);
  for_each_part(out, [&](int64_t, int64_t, int64_t, int64_t begin, int64_t end) {
    Random part = random.split(uint64_t(begin));
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t bits = uint32_t(part.next() >> 32);
      if (mask.bytes[size_t(mask.index(0, 0, 0, i))] != std::byte{0}) continue;
      store_bits(out.bytes.data(), out.element, out.index(0, 0, 0, i), bits);
    }
  });
}

Tensor* tensor_of(Workload& workload, Role role) {
  const int index = workload.index_of(role);
  return index < 0 ? nullptr : &workload.tensors[size_t(index)];
}

void fill(Workload& workload, const VectorAddCase& c, Poison) {
  const Case& subject = workload.subject;
  Tensor* mask = tensor_of(workload, Role::mask);
  if (mask != nullptr) make_mask(subject, c.mask, *mask, false);
  make_values(subject, c.values, c.dtype, *tensor_of(workload, Role::x), nullptr);
  make_values(subject, c.values, c.dtype, *tensor_of(workload, Role::y), nullptr);
  Tensor* out = tensor_of(workload, Role::out);
  if (mask != nullptr && out->alias_of < 0) make_old_output(subject, *out, *mask);
}

void fill(Workload& workload, const SoftmaxCase& c, Poison) {
  Tensor* mask = tensor_of(workload, Role::mask);
  if (mask != nullptr) make_mask(workload.subject, c.mask, *mask, true);
  make_values(workload.subject, c.values, c.dtype, *tensor_of(workload, Role::x), mask);
}

// Rows of q, k or v. `seen` (k and v only): one byte per batch, kv head and key; rows that nobody
// sees keep the poison that is already there, or get the finite one where only band or mask hides.
struct HeadTensor {
  Tensor* tensor;
  std::span<const int64_t> lengths;
  const std::vector<uint8_t>* seen = nullptr;
  bool finite_where_hidden = false;
  Poison poison = Poison::nan;
};

bool is_seen(const HeadTensor& target, int64_t batch, int64_t head, int64_t row) {
  if (target.seen == nullptr) return true;
  const Tensor& tensor = *target.tensor;
  const auto at = [&](int64_t h) {
    return (*target.seen)[size_t((batch * tensor.sizes[1] + h) * tensor.sizes[2] + row)] != 0;
  };
  if (tensor.strides[1] != 0) return at(head);
  for (int64_t h = 0; h < tensor.sizes[1]; ++h) {  // one row serves all heads
    if (at(h)) return true;
  }
  return false;
}

// write(place, index of its first element) for each row that somebody sees.
template <class Write>
void for_each_head_row(const HeadTensor& target, const Write& write) {
  Tensor& tensor = *target.tensor;
  for_each_part(tensor, [&](int64_t batch, int64_t head, int64_t row, int64_t, int64_t end) {
    const int64_t length = target.lengths[size_t(batch)];
    const int64_t index = tensor.index(batch, head, row, 0);
    if (is_seen(target, batch, head, row)) {
      write(HeadRow{batch, head, row, length}, index);
    } else if (target.finite_where_hidden && row < length) {
      const uint32_t bits = finite_poison_bits(tensor.element, target.poison);
      for (int64_t x = 0; x < end; ++x) {
        store_bits(tensor.bytes.data(), tensor.element, index + x, bits);
      }
    }
  });
}

template <class Recipe>
void make_head_rows(const HeadTensor& target, const Recipe& recipe) {
  Tensor& tensor = *target.tensor;
  for_each_head_row(target, [&](HeadRow place, int64_t index) {
    float values[256];
    recipe(place, values);
    store_row(tensor.bytes.data(), tensor.element, index, values, tensor.sizes[3]);
  });
}

// Which rows of k and v somebody sees; from the bytes of the mask and the lengths stored.
struct Visible {
  std::vector<int64_t> lengths;
  std::vector<uint8_t> seen;
};

Visible visible_rows(const Workload& workload, const AttentionCase& c,
                     std::span<const int32_t> stored) {
  Visible result{clamped_key_lengths(c, stored), {}};
  result.seen = seen_keys(c, result.lengths, workload.find(Role::mask));
  return result;
}

void fill(Workload& workload, const AttentionCase& c, Poison poison) {
  const Case& subject = workload.subject;
  if (Tensor* mask = tensor_of(workload, Role::mask)) make_mask(subject, c.mask, *mask, true);
  const auto stored = make_key_lengths(c, stream_of(subject, Role::key_length));
  if (Tensor* tensor = tensor_of(workload, Role::key_length)) {
    for (int64_t item = 0; item < c.batch; ++item) {
      store_bits(tensor->bytes.data(), tensor->element, tensor->index(0, 0, 0, item),
                 uint32_t(stored[size_t(item)]));
    }
  }
  const auto [lengths, seen] = visible_rows(workload, c, stored);
  const ScoreRecipe scores(c, stream_of(subject, Role::q));
  const Random contents = stream_of(subject, Role::v);
  make_head_rows({tensor_of(workload, Role::q), lengths},
                 [&](HeadRow place, float* out) { scores.query(place, out); });
  make_head_rows({tensor_of(workload, Role::k), lengths, &seen},
                 [&](HeadRow place, float* out) { scores.key(place, out); });
  make_head_rows({tensor_of(workload, Role::v), lengths, &seen, true, poison},
                 [&](HeadRow place, float* out) { make_contents(c, contents, place, out); });
}

// The logical elements of one row part of a tensor, from another of the same layout.
void copy_part(const Tensor& from, Tensor& to, int64_t first, int64_t count) {
  const int64_t width = element_bytes(to.element);
  if (to.strides[3] <= 1) {
    std::memcpy(to.bytes.data() + first * width, from.bytes.data() + first * width,
                size_t(count * width));
    return;
  }
  for (int64_t i = 0, at = first * width; i < count; ++i, at += to.strides[3] * width) {
    std::memcpy(to.bytes.data() + at, from.bytes.data() + at, size_t(width));
  }
}

void copy_logical(const Tensor& from, Tensor& to) {
  for_each_part(to, [&](int64_t i0, int64_t i1, int64_t i2, int64_t begin, int64_t end) {
    copy_part(from, to, to.index(i0, i1, i2, begin), end - begin);
  });
}

void copy_inputs(const Workload& made, Workload& workload, const VectorAddCase&, Poison) {
  for (size_t i = 0; i < made.tensors.size(); ++i) {
    if (!made.tensors[i].is_output) copy_logical(made.tensors[i], workload.tensors[i]);
  }
  const Tensor* mask = workload.find(Role::mask);
  const int out = workload.index_of(Role::out);
  if (mask == nullptr || made.tensors[size_t(out)].alias_of >= 0) return;
  make_old_output(workload.subject, workload.tensors[size_t(out)], *mask);
}

void copy_inputs(const Workload& made, Workload& workload, const SoftmaxCase&, Poison) {
  for (size_t i = 0; i < made.tensors.size(); ++i) {
    if (!made.tensors[i].is_output) copy_logical(made.tensors[i], workload.tensors[i]);
  }
}

void copy_inputs(const Workload& made, Workload& workload, const AttentionCase& c, Poison poison) {
  for (size_t i = 0; i < made.tensors.size(); ++i) {
    const Role role = made.tensors[i].role;
    if (made.tensors[i].is_output || role == Role::k || role == Role::v) continue;
    copy_logical(made.tensors[i], workload.tensors[i]);
  }
  const auto stored = make_key_lengths(c, stream_of(workload.subject, Role::key_length));
  const auto [lengths, seen] = visible_rows(workload, c, stored);
  for (const Role role : {Role::k, Role::v}) {
    const Tensor& from = *made.find(role);
    Tensor& to = *tensor_of(workload, role);
    const HeadTensor target = {&to, lengths, &seen, role == Role::v, poison};
    for_each_head_row(target,
                      [&](HeadRow, int64_t first) { copy_part(from, to, first, to.sizes[3]); });
  }
}

}  // namespace

std::string_view role_name(Role role) {
  constexpr std::string_view kNames[] = {"x", "y", "mask", "out", "q",
                                         "k", "v", "o",    "lse", "key_length"};
  return kNames[size_t(role)];
}

int64_t element_bytes(Element element) {
  return element == Element::byte                               ? 1
         : element == Element::fp16 || element == Element::bf16 ? 2
                                                                : 4;
}

double value_at(std::span<const std::byte> buffer, Element element, int64_t index) {
  const int64_t width = element_bytes(element);
  ODDTILE_ASSERT(index >= 0 && (index + 1) * width <= int64_t(buffer.size()));
  uint32_t bits = 0;
  std::memcpy(&bits, buffer.data() + index * width, size_t(width));
  switch (element) {
    case Element::fp32:
      return double(std::bit_cast<float>(bits));
    case Element::fp16:
      return double(half_to_float({uint16_t(bits)}));
    case Element::bf16:
      return double(bfloat16_to_float({uint16_t(bits)}));
    case Element::byte:
      return double(bits);
    case Element::int32:
      return double(int32_t(bits));
  }
  return 0;
}

const Tensor* Workload::find(Role role) const {
  const int index = index_of(role);
  return index < 0 ? nullptr : &tensors[size_t(index)];
}

int Workload::index_of(Role role) const {
  for (size_t index = 0; index < tensors.size(); ++index) {
    if (tensors[index].role == role) return int(index);
  }
  return -1;
}

namespace {

// Tensors with bytes, all of them poison.
Workload poisoned(const Case& subject, Poison poison) {
  Workload workload{subject, lay_out(subject)};
  for (Tensor& tensor : workload.tensors) {
    if (tensor.alias_of >= 0) continue;
    tensor.bytes.resize(size_t(tensor.capacity * element_bytes(tensor.element)));
    fill_poison(tensor.bytes, tensor.element, poison);
  }
  return workload;
}

}  // namespace

Workload materialise(const Case& subject, Poison poison) {
  ODDTILE_ASSERT(impossible(subject).empty());
  Workload workload = poisoned(subject, poison);
  std::visit([&](const auto& problem) { fill(workload, problem, poison); }, subject.problem);
  return workload;
}

Workload with_poison(const Workload& made, Poison poison) {
  Workload workload = poisoned(made.subject, poison);
  std::visit([&](const auto& problem) { copy_inputs(made, workload, problem, poison); },
             made.subject.problem);
  return workload;
}

}  // namespace oddtile::oracles
