// For tests: outputs filled with the exact values, rounded to their type, and single elements set.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/base/bits.h"
#include "oracles/exact/attention.h"
#include "oracles/exact/read.h"
#include "oracles/exact/softmax.h"

namespace oddtile::oracles {

using Outputs = std::vector<std::vector<std::byte>>;

inline void put(Outputs& outputs, const Workload& workload, Role role, int64_t index,
                double value) {
  const Tensor& tensor = *workload.find(role);
  std::vector<std::byte>& bytes = outputs[size_t(workload.index_of(role))];
  const float single = float(value);
  if (tensor.element == Element::fp32) {
    std::memcpy(bytes.data() + index * 4, &single, 4);
    return;
  }
  const uint16_t bits =
      tensor.element == Element::fp16 ? float_to_half(single).bits : float_to_bfloat16(single).bits;
  std::memcpy(bytes.data() + index * 2, &bits, 2);
}

inline double get(const Outputs& outputs, const Workload& workload, Role role, int64_t index) {
  const Tensor& tensor = *workload.find(role);
  return load_number(outputs[size_t(workload.index_of(role))], tensor.element, index);
}

// What a run that writes nothing leaves behind. An alias gets the bytes of the buffer it shares.
inline Outputs untouched(const Workload& workload) {
  Outputs outputs;
  for (const Tensor& tensor : workload.tensors) {
    const auto bytes = stored_bytes(workload, tensor);
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

inline void fill_attention(const Workload& workload, Outputs& outputs) {
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const AttentionOracle oracle(workload);
  AttentionRow row;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads_q(); ++h) {
      const KeysAndValues kv = oracle.load(b, h / c.group);
      for (int64_t i = 0; i < c.seq_q; ++i) {
        oracle.row(kv, b, h, i, Precision::standard, row);
        const bool nan = row.row_class == RowClass::nan;
        for (int64_t x = 0; x < c.head_dim; ++x) {
          const uint8_t bits = row.column.empty() ? 0 : row.column[size_t(x)];
          put(outputs, workload, Role::o, workload.find(Role::o)->index(b, h, i, x),
              nan || (bits & ~kDeadNonFinite) ? NAN : row.o[size_t(x)]);
        }
        if (const Tensor* lse = workload.find(Role::lse))
          put(outputs, workload, Role::lse, lse->index(0, b, h, i),
              nan                                ? NAN
              : row.row_class == RowClass::empty ? -INFINITY
                                                 : row.lse);
      }
    }
}

inline void fill_softmax(const Workload& workload, Outputs& outputs) {
  const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
  const Tensor& x = *workload.find(Role::x);
  const Tensor& y = *workload.find(Role::y);
  const Tensor* mask = workload.find(Role::mask);
  std::vector<double> values(static_cast<size_t>(c.columns));
  std::vector<uint8_t> bytes(static_cast<size_t>(c.columns), uint8_t(1));
  SoftmaxRow row;
  for (int64_t r = 0; r < c.rows; ++r) {
    read_row(stored_bytes(workload, x), x, 0, 0, r, values.data());
    for (int64_t i = 0; mask != nullptr && i < c.columns; ++i)
      bytes[size_t(i)] = read_at<uint8_t>(stored_bytes(workload, *mask), mask->index(0, 0, r, i));
    softmax_row(values, bytes.data(), Precision::standard, row);
    for (int64_t i = 0; i < c.columns; ++i)
      put(outputs, workload, Role::y, y.index(0, 0, r, i),
          row.row_class == RowClass::nan && bytes[size_t(i)] ? NAN : row.weight[size_t(i)]);
  }
}

inline void fill_vector_add(const Workload& workload, Outputs& outputs) {
  const auto& c = std::get<VectorAddCase>(workload.subject.problem);
  const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
  const Tensor &out = *workload.find(Role::out), *mask = workload.find(Role::mask);
  for (int64_t i = 0; i < c.n; ++i) {
    if (mask && read_at<uint8_t>(stored_bytes(workload, *mask), mask->index(0, 0, 0, i)) == 0)
      continue;
    const float a = float(load_number(stored_bytes(workload, x), x.element, x.index(0, 0, 0, i)));
    const float b = float(load_number(stored_bytes(workload, y), y.element, y.index(0, 0, 0, i)));
    put(outputs, workload, Role::out, out.index(0, 0, 0, i), a + b);
  }
}

inline Outputs exact_outputs(const Workload& workload) {
  Outputs outputs = untouched(workload);
  switch (workload.subject.kernel()) {
    case oddtile_kernel_vector_add:
      fill_vector_add(workload, outputs);
      break;
    case oddtile_kernel_softmax:
      fill_softmax(workload, outputs);
      break;
    case oddtile_kernel_attention:
      fill_attention(workload, outputs);
      break;
  }
  return outputs;
}

}  // namespace oddtile::oracles
