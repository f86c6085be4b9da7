#include "reports/measure/whole_output.h"

#include <cmath>

#include "kernels/base/assert.h"
#include "oracles/exact/attention.h"
#include "oracles/exact/read.h"
#include "oracles/exact/softmax.h"
#include "properties/harness/buffers.h"
#include "reports/measure/criteria.h"

namespace oddtile::reports {
namespace {

using oracles::Role;
using oracles::RowClass;
using oracles::Tensor;
using oracles::Workload;

// visit(index into the buffer) for each logical element, last dimension innermost.
template <class Visit>
void for_each_element(const Tensor& t, Visit&& visit) {
  for (int64_t i0 = 0; i0 < t.sizes[0]; ++i0)
    for (int64_t i1 = 0; i1 < t.sizes[1]; ++i1)
      for (int64_t i2 = 0; i2 < t.sizes[2]; ++i2)
        for (int64_t i3 = 0; i3 < t.sizes[3]; ++i3) visit(t.index(i0, i1, i2, i3));
}

double before(const Workload& workload, const Tensor& tensor, int64_t index) {
  return oracles::load_number(oracles::stored_bytes(workload, tensor), tensor.element, index);
}

// Each returns false where an element has no value to compare with.
bool exact_sums(const Workload& workload, std::vector<double>* exact) {
  const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
  const Tensor& out = *workload.find(Role::out);
  const Tensor* mask = workload.find(Role::mask);
  for (int64_t i = 0; i < out.sizes[3]; ++i) {
    const bool hidden = mask != nullptr && before(workload, *mask, mask->index(0, 0, 0, i)) == 0;
    exact->push_back(hidden ? before(workload, out, out.index(0, 0, 0, i))
                            : before(workload, x, x.index(0, 0, 0, i)) +
                                  before(workload, y, y.index(0, 0, 0, i)));
  }
  return true;
}

bool exact_rows(const Workload& workload, std::vector<double>* exact) {
  const Tensor& x = *workload.find(Role::x);
  const Tensor* mask = workload.find(Role::mask);
  const int64_t rows = x.sizes[2], columns = x.sizes[3];
  std::vector<double> values(static_cast<size_t>(columns));
  std::vector<uint8_t> visible(static_cast<size_t>(columns), uint8_t(1));
  oracles::SoftmaxRow row;
  for (int64_t r = 0; r < rows; ++r) {
    oracles::read_row(oracles::stored_bytes(workload, x), x, 0, 0, r, values.data());
    for (int64_t i = 0; mask != nullptr && i < columns; ++i) {
      visible[size_t(i)] = before(workload, *mask, mask->index(0, 0, r, i)) != 0;
    }
    oracles::softmax_row(values, visible.data(), oracles::Precision::standard, row);
    if (row.row_class == RowClass::nan) return false;
    exact->insert(exact->end(), row.weight.begin(), row.weight.begin() + columns);
  }
  return true;
}

bool exact_attention(const Workload& workload, std::vector<double>* exact) {
  const oracles::AttentionOracle oracle(workload);
  const oracles::AttentionCase& c = oracle.subject();
  oracles::AttentionRow row;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t head = 0; head < c.heads_q(); ++head) {
      const oracles::KeysAndValues kv = oracle.load(b, head / c.group);
      for (int64_t i = 0; i < c.seq_q; ++i) {
        oracle.row(kv, b, head, i, oracles::Precision::standard, row);
        if (row.row_class == RowClass::nan) return false;
        for (const uint8_t special : row.column) {
          if (special != 0) return false;
        }
        exact->insert(exact->end(), row.o.begin(), row.o.begin() + c.head_dim);
      }
    }
  }
  return true;
}

bool exact_elements(const Workload& workload, std::vector<double>* exact) {
  switch (workload.subject.kernel()) {
    case oddtile_kernel_vector_add:
      return exact_sums(workload, exact);
    case oddtile_kernel_softmax:
      return exact_rows(workload, exact);
    case oddtile_kernel_attention:
      return exact_attention(workload, exact);
  }
  ODDTILE_ASSERT(false && "unknown kernel");
}

}  // namespace

const Tensor& main_output(const Workload& workload) {
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.is_output && tensor.role != Role::lse) return tensor;
  }
  ODDTILE_ASSERT(false && "no output");
}

oddtile_dtype dtype_of(const Workload& workload) {
  switch (main_output(workload).element) {
    case oracles::Element::fp16:
      return oddtile_fp16;
    case oracles::Element::bf16:
      return oddtile_bf16;
    default:
      return oddtile_fp32;
  }
}

std::optional<std::vector<double>> exact_output(const Workload& workload) {
  std::vector<double> exact;
  if (!exact_elements(workload, &exact)) return std::nullopt;
  ODDTILE_ASSERT(int64_t(exact.size()) == main_output(workload).count());
  const oddtile_dtype dtype = dtype_of(workload);
  for (const double value : exact) {
    if (!std::isfinite(rounded_to(dtype, value))) return std::nullopt;
  }
  return exact;
}

std::vector<double> stored_output(const Workload& workload, const Buffers& buffers) {
  const Tensor& output = main_output(workload);
  const std::vector<std::byte>& bytes = buffers[size_t(workload.index_of(output.role))];
  std::vector<double> stored;
  for_each_element(output, [&](int64_t index) {
    stored.push_back(oracles::load_number(bytes, output.element, index));
  });
  return stored;
}

bool same_output_bits(const Workload& workload, const Buffers& a, const Buffers& b) {
  for (size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    if (!tensor.is_output) continue;
    bool same = true;
    properties::for_each_difference(tensor, a[i], b[i], [&](int64_t) { same = false; });
    if (!same) return false;
  }
  return true;
}

}  // namespace oddtile::reports
