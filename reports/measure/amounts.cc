#include "reports/measure/amounts.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/case/fields.h"

namespace oddtile::reports {
namespace {

using oracles::AttentionCase;
using oracles::Case;
using oracles::SoftmaxCase;
using oracles::Tensor;
using oracles::VectorAddCase;

template <class Enum>
std::string name_of(Enum value) {
  return std::string(oracles::names(value)[size_t(value)]);
}

struct KeyRange {
  int64_t first = 0;
  int64_t last = -1;  // inclusive; below `first`: no key
  int64_t count() const { return std::max<int64_t>(0, last - first + 1); }
};

// Keys inside the band of query `row`; key lengths and masks aside (counts_all_hidden).
KeyRange keys_of_row(const AttentionCase& c, int64_t row) {
  const int64_t centre = row + (c.anchor == oddtile_bottom_right ? c.seq_k - c.seq_q : 0);
  const int64_t reach = c.seq_q + c.seq_k;  // farther limits hide nothing more, and may overflow
  return {std::max<int64_t>(0, centre + std::clamp(c.band_low, -reach, reach)),
          std::min(c.seq_k - 1, centre + std::clamp(c.band_high, -reach, reach))};
}

int64_t visible_pairs(const AttentionCase& c) {
  int64_t pairs = 0;
  for (int64_t row = 0; row < c.seq_q; ++row) pairs += keys_of_row(c, row).count();
  return pairs;
}

// Keys that at least one query sees. Bands move with the row, so their union is one interval.
int64_t visible_keys(const AttentionCase& c) {
  KeyRange all = {c.seq_k, -1};
  for (int64_t row = 0; row < c.seq_q; ++row) {
    const KeyRange range = keys_of_row(c, row);
    if (range.count() == 0) continue;
    all.first = std::min(all.first, range.first);
    all.last = std::max(all.last, range.last);
  }
  return all.count();
}

// Bytes of those granules that hold a visible element, for a tensor of `bytes`-sized elements laid
// out as the mask is (dense rows).
int64_t visible_bytes(const Tensor& mask, int64_t bytes, int64_t granule) {
  const int64_t elements = std::max<int64_t>(1, granule / bytes);
  int64_t count = 0;
  for (int64_t row = 0; row < mask.sizes[2]; ++row) {
    for (int64_t first = 0; first < mask.sizes[3]; first += elements) {
      const int64_t end = std::min(first + elements, mask.sizes[3]);
      for (int64_t column = first; column < end; ++column) {
        if (mask.bytes[size_t(mask.index(0, 0, row, column))] == std::byte{0}) continue;
        count += (end - first) * bytes;
        break;
      }
    }
  }
  return count;
}

int64_t dtype_bytes(oddtile_dtype dtype) {
  return dtype == oddtile_fp32 ? 4 : 2;
}

Traffic least(const oracles::Workload& workload, const VectorAddCase& c, int64_t granule) {
  const int64_t bytes = dtype_bytes(c.dtype);
  const Tensor* mask = workload.find(oracles::Role::mask);
  if (mask == nullptr) return {2 * c.n * bytes, c.n * bytes};
  const int64_t visible = visible_bytes(*mask, bytes, granule);
  return {c.n + 2 * visible, visible};
}

Traffic least(const oracles::Workload& workload, const SoftmaxCase& c, int64_t granule) {
  const int64_t bytes = dtype_bytes(c.dtype);
  const int64_t all = c.rows * c.columns * bytes;
  const Tensor* mask = workload.find(oracles::Role::mask);
  if (mask == nullptr) return {all, all};
  const int64_t mask_rows = c.mask_layout == oracles::MaskLayout::row_broadcast ? 1 : c.rows;
  return {visible_bytes(*mask, bytes, granule) + mask_rows * c.columns, all};
}

Traffic least(const oracles::Workload&, const AttentionCase& c, int64_t) {
  const int64_t bytes = dtype_bytes(c.dtype);
  const int64_t rows = c.batch * c.heads_q() * c.seq_q;
  const int64_t keys = c.batch * c.heads_kv * visible_keys(c);
  const int64_t lse = c.lse != 0 ? 4 * rows : 0;
  return {(rows + 2 * keys) * c.head_dim * bytes, rows * c.head_dim * bytes + lse};
}

}  // namespace

std::string dtype_name(const Case& subject) {
  return std::visit([](const auto& c) { return name_of(c.dtype); }, subject.problem);
}

std::string family(const Case& subject) {
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) {
    return name_of(c->scores) + "/" + name_of(c->contents);
  }
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return name_of(c->values);
  return name_of(std::get<VectorAddCase>(subject.problem).values);
}

std::string series(const Case& subject) {
  const std::string dtype = dtype_name(subject);
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) {
    const bool causal = c->band_high == 0 && c->band_low == -oracles::kUnbounded;
    const bool full = c->band_high == oracles::kUnbounded && c->band_low == -oracles::kUnbounded;
    return fmt::format("attention {} d{} {}", dtype, c->head_dim,
                       causal ? "causal" : (full ? "full" : "band"));
  }
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) {
    const bool masked = c->mask != oracles::MaskKind::none;
    return fmt::format("softmax {}{}", dtype, masked ? " mask " + name_of(c->mask) : "");
  }
  const auto& c = std::get<VectorAddCase>(subject.problem);
  const bool masked = c.mask != oracles::MaskKind::none;
  return fmt::format("vector_add {}{}", dtype, masked ? " mask " + name_of(c.mask) : "");
}

int64_t size(const Case& subject) {
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) return c->seq_k;
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return c->columns;
  return std::get<VectorAddCase>(subject.problem).n;
}

bool counts_all_hidden(const Case& subject) {
  const auto* c = std::get_if<AttentionCase>(&subject.problem);
  if (c == nullptr) return true;
  const bool mask = c->mask != oracles::MaskKind::none && c->mask != oracles::MaskKind::all;
  return !mask &&
         (c->lengths == oracles::KeyLengths::none || c->lengths == oracles::KeyLengths::full);
}

int64_t flops(const Case& subject) {
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) {
    return 4 * c->head_dim * c->batch * c->heads_q() * visible_pairs(*c);
  }
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return 5 * c->rows * c->columns;
  return std::get<VectorAddCase>(subject.problem).n;
}

int64_t data_bytes(const Case& subject) {
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) {
    const int64_t rows = c->batch * (c->heads_q() * c->seq_q + c->heads_kv * c->seq_k);
    const int64_t pairs = c->batch * c->heads_q() * c->seq_q * c->seq_k;
    return 2 * rows * c->head_dim * 2 + (c->mask == oracles::MaskKind::none ? 0 : pairs);
  }
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) {
    return c->rows * c->columns * (2 * dtype_bytes(c->dtype) + 1);
  }
  const auto& c = std::get<VectorAddCase>(subject.problem);
  return c.n * (3 * dtype_bytes(c.dtype) + 1);
}

int64_t output_bytes(const Case& subject) {
  if (const auto* c = std::get_if<AttentionCase>(&subject.problem)) {
    return c->batch * c->heads_q() * c->seq_q * (2 * c->head_dim + 4);
  }
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) {
    return c->rows * c->columns * dtype_bytes(c->dtype);
  }
  const auto& c = std::get<VectorAddCase>(subject.problem);
  return c.n * dtype_bytes(c.dtype);
}

Traffic least_traffic(const oracles::Workload& workload, int64_t granule) {
  return std::visit([&](const auto& c) { return least(workload, c, granule); },
                    workload.subject.problem);
}

}  // namespace oddtile::reports
