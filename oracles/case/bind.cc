// From a workload to the C ABI.
#include <limits>

#include "kernels/base/assert.h"
#include "oracles/case/layout.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {
namespace {

class Binder {
 public:
  Binder(const Workload& workload, std::span<void* const> addresses)
      : workload_(workload), addresses_(addresses) {
    ODDTILE_ASSERT(addresses.size() == workload.tensors.size());
  }

  const Tensor* tensor(Role role) const { return workload_.find(role); }

  // Address of element (0, 0, 0, 0); null where the case has no such tensor.
  void* first(Role role) const {
    const int index = workload_.index_of(role);
    if (index < 0) return nullptr;
    const Tensor& found = workload_.tensors[size_t(index)];
    std::byte* const start = static_cast<std::byte*>(addresses_[size_t(index)]);
    return start == nullptr ? nullptr : start + found.offset * element_bytes(found.element);
  }
  const uint8_t* mask() const { return static_cast<const uint8_t*>(first(Role::mask)); }

  oddtile_tensor strided(Role role) const {
    const Tensor& found = *tensor(role);
    return {first(role), found.strides[0], found.strides[1], found.strides[2]};
  }

 private:
  const Workload& workload_;
  std::span<void* const> addresses_;
};

oddtile_vector_add_problem bound(const VectorAddCase& c, const Binder& binder) {
  return {c.dtype,
          c.n,
          binder.first(Role::x),
          binder.first(Role::y),
          binder.mask(),
          binder.first(Role::out)};
}

oddtile_softmax_problem bound(const SoftmaxCase& c, const Binder& binder) {
  const Tensor* mask = binder.tensor(Role::mask);
  return {c.dtype,
          c.rows,
          c.columns,
          binder.first(Role::x),
          binder.tensor(Role::x)->strides[2],
          binder.first(Role::y),
          binder.tensor(Role::y)->strides[2],
          binder.mask(),
          mask != nullptr ? mask->strides[2] : 0};
}

oddtile_attention_problem bound(const AttentionCase& c, const Binder& binder) {
  oddtile_attention_problem problem = {};
  problem.dtype = c.dtype;
  problem.batch = c.batch;
  problem.heads_q = c.heads_q();
  problem.heads_kv = c.heads_kv;
  problem.seq_q = c.seq_q;
  problem.seq_k = c.seq_k;
  problem.head_dim = c.head_dim;
  problem.scale = float(c.scale);
  problem.q = binder.strided(Role::q);
  problem.k = binder.strided(Role::k);
  problem.v = binder.strided(Role::v);
  problem.o = binder.strided(Role::o);
  if (const Tensor* lse = binder.tensor(Role::lse)) {
    problem.lse = static_cast<float*>(binder.first(Role::lse));
    problem.lse_batch_stride = lse->strides[1];
    problem.lse_head_stride = lse->strides[2];
    problem.lse_row_stride = lse->strides[3];
  }
  problem.key_length = static_cast<const int32_t*>(binder.first(Role::key_length));
  problem.band_low = c.band_low == -kUnbounded ? std::numeric_limits<int64_t>::min() : c.band_low;
  problem.band_high = c.band_high;  // unbounded is INT64_MAX on both sides
  problem.anchor = c.anchor;
  if (const Tensor* mask = binder.tensor(Role::mask)) {
    problem.mask = binder.mask();
    problem.mask_batch_stride = mask->strides[0];
    problem.mask_head_stride = mask->strides[1];
    problem.mask_row_stride = mask->strides[2];
    problem.mask_column_stride = mask->strides[3];
  }
  return problem;
}

}  // namespace

oddtile_problem bind(const Workload& workload, std::span<void* const> addresses) {
  const Binder binder(workload, addresses);
  oddtile_problem problem = {};
  problem.kernel = workload.subject.kernel();
  std::visit(
      [&](const auto& c) {
        using Part = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<Part, VectorAddCase>) {
          problem.vector_add = bound(c, binder);
        } else if constexpr (std::is_same_v<Part, SoftmaxCase>) {
          problem.softmax = bound(c, binder);
        } else {
          problem.attention = bound(c, binder);
        }
      },
      workload.subject.problem);
  return problem;
}

oddtile_problem bind_nowhere(const Case& subject) {
  const Workload workload = {subject, lay_out(subject)};
  std::vector<void*> addresses;
  for (size_t i = 0; i < workload.tensors.size(); ++i) {
    const int alias = workload.tensors[i].alias_of;
    const auto place = uintptr_t(alias >= 0 ? alias : int(i)) + 1;
    addresses.push_back(reinterpret_cast<void*>(place << 32));
  }
  return oracles::bind(workload, addresses);
}

}  // namespace oddtile::oracles
