// The eager baseline of attention: scores in fp32 and weights in 16 bits lie in global memory,
// between a product, a softmax and a product. Operands that the products cannot take as they lie
// (repeated heads, unusual strides, V beyond a key length) are copied first, inside its time.
#include <algorithm>

#include "kernels/api/arguments.h"
#include "kernels/attention/attention.cuh"
#include "kernels/attention/eager.cuh"
#include "kernels/attention/eager_products.h"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// Where everything lies in the workspace; 0 bytes: used in place.
struct Plan {
  int64_t score_row_stride;
  int64_t q, k, v, o;  // offsets of dense copies, -1: in place
  int64_t scores;
  int64_t weights;
  int64_t bytes;
};

// One matrix per head at equal distances, rows at positive ones.
bool in_place(const oddtile_tensor& tensor, int64_t batch, int64_t heads, int64_t columns) {
  return tensor.row_stride >= columns && tensor.head_stride > 0 &&
         (batch == 1 || tensor.batch_stride == heads * tensor.head_stride);
}

Plan plan_of(const oddtile_attention_problem& p) {
  Plan plan = {};
  const auto take = [&](int64_t bytes) {
    const int64_t offset = plan.bytes;
    plan.bytes += round_up(bytes, kWorkspaceAlignment);
    return offset;
  };
  const int64_t heads = p.batch * p.heads_q;
  const int64_t query_bytes = heads * p.seq_q * p.head_dim * 2;
  const int64_t key_bytes = heads * p.seq_k * p.head_dim * 2;
  const bool repeated = p.heads_q != p.heads_kv;
  const bool k_in_place = !repeated && in_place(p.k, p.batch, p.heads_kv, p.head_dim);
  const bool v_in_place =
      !repeated && !p.key_length && in_place(p.v, p.batch, p.heads_kv, p.head_dim);
  plan.q = in_place(p.q, p.batch, p.heads_q, p.head_dim) ? -1 : take(query_bytes);
  plan.k = k_in_place ? -1 : take(key_bytes);
  plan.v = v_in_place ? -1 : take(key_bytes);
  plan.o = in_place(p.o, p.batch, p.heads_q, p.head_dim) ? -1 : take(query_bytes);
  plan.score_row_stride = round_up(p.seq_k, int64_t(8));
  plan.scores = take(heads * p.seq_q * plan.score_row_stride * 4);
  plan.weights = take(heads * p.seq_q * plan.score_row_stride * 2);
  return plan;
}

// An operand of a product: dense in the workspace, or the tensor itself.
struct Matrices {
  void* data;
  int64_t row_stride;
  int64_t stride;
};

Matrices matrices(const oddtile_tensor& tensor, std::byte* workspace, int64_t offset, int64_t rows,
                  int64_t columns) {
  if (offset < 0) return {tensor.data, tensor.row_stride, tensor.head_stride};
  return {workspace + offset, columns, rows * columns};
}

template <class T>
bool copy_to_dense(const StridedTensor<const T>& from, std::byte* to, int64_t rows, int64_t group,
                   Global<const int32_t> key_length, const AttentionParameters<T>& a,
                   void* stream) {
  DenseCopy<T> copy = {from, {}, key_length, a.batch, a.heads_q, group, rows, a.head_dim};
  copy.to.data = Global<T>(reinterpret_cast<T*>(to));
  const LaunchShape shape = {
      .blocks = ceil_div(a.batch * a.heads_q * rows * a.head_dim, int64_t(kCopyThreads)),
      .threads = kCopyThreads};
  return launch(&gather_kernel<T>, "eager_gather", shape, stream, copy);
}

template <class T>
bool copy_from_dense(std::byte* from, const AttentionParameters<T>& a, void* stream) {
  DenseCopy<T> copy = {{}, a.o, {}, a.batch, a.heads_q, 1, a.seq_q, a.head_dim};
  copy.from.data = Global<const T>(reinterpret_cast<const T*>(from));
  const LaunchShape shape = {
      .blocks = ceil_div(a.batch * a.heads_q * a.seq_q * a.head_dim, int64_t(kCopyThreads)),
      .threads = kCopyThreads};
  return launch(&scatter_kernel<T>, "eager_scatter", shape, stream, copy);
}

template <class T>
bool softmax_of_scores(const AttentionParameters<T>& a, std::byte* workspace, const Plan& plan,
                       void* stream) {
  const MaterialisedSoftmax<T> parameters = {
      a, Global<const float>(reinterpret_cast<const float*>(workspace + plan.scores)),
      Global<T>(reinterpret_cast<T*>(workspace + plan.weights)), plan.score_row_stride};
  const LaunchShape shape = {
      .blocks = ceil_div(a.batch * a.heads_q * a.seq_q, int64_t(kRowsPerBlock)),
      .threads = 32 * kRowsPerBlock};
  return launch(&materialised_softmax<T>, "eager_softmax", shape, stream, parameters);
}

template <class T>
oddtile_status launch_as(const oddtile_attention_problem& p, std::byte* workspace, void* stream) {
  const AttentionParameters<T> a = attention_parameters<T>(p);
  const Plan plan = plan_of(p);
  if ((plan.q >= 0 && !copy_to_dense(a.q, workspace + plan.q, p.seq_q, 1, {}, a, stream)) ||
      (plan.k >= 0 && !copy_to_dense(a.k, workspace + plan.k, p.seq_k, a.group, {}, a, stream)) ||
      (plan.v >= 0 &&
       !copy_to_dense(a.v, workspace + plan.v, p.seq_k, a.group, a.key_length, a, stream))) {
    return oddtile_launch_failed;
  }
  const Matrices q = matrices(p.q, workspace, plan.q, p.seq_q, p.head_dim);
  const Matrices k = matrices(p.k, workspace, plan.k, p.seq_k, p.head_dim);
  const Matrices v = matrices(p.v, workspace, plan.v, p.seq_k, p.head_dim);
  const Matrices o = matrices(p.o, workspace, plan.o, p.seq_q, p.head_dim);
  const int64_t heads = p.batch * p.heads_q;
  const Matrices scores = {workspace + plan.scores, plan.score_row_stride,
                           p.seq_q * plan.score_row_stride};
  const Matrices weights = {workspace + plan.weights, scores.row_stride, scores.stride};
  const Product score_product = {
      p.dtype,       heads,  p.seq_q,      p.seq_k,  p.head_dim, q.data,      q.row_stride,
      q.stride,      k.data, k.row_stride, k.stride, true,       scores.data, scores.row_stride,
      scores.stride, true};
  const Product value_product = {
      p.dtype,        heads,  p.seq_q,      p.head_dim, p.seq_k, weights.data, weights.row_stride,
      weights.stride, v.data, v.row_stride, v.stride,   false,   o.data,       o.row_stride,
      o.stride,       false};
  oddtile_status status = multiply(score_product, stream);
  if (status == oddtile_ok && !softmax_of_scores(a, workspace, plan, stream)) {
    status = oddtile_launch_failed;
  }
  if (status == oddtile_ok) status = multiply(value_product, stream);
  if (status != oddtile_ok || plan.o < 0) return status;
  return copy_from_dense(workspace + plan.o, a, stream) ? oddtile_ok : oddtile_launch_failed;
}

}  // namespace

int32_t eager_attention_configurations(const oddtile_attention_problem& problem, int32_t* ids,
                                       int32_t capacity) {
  if (capacity < 1 || check_attention(problem) != oddtile_ok ||
      problem.seq_k < least_product_depth() || !products_available()) {
    return 0;
  }
  ids[0] = 0;
  return 1;
}

oddtile_status eager_attention_describe(const oddtile_attention_problem& problem, int32_t id,
                                        oddtile_profile* profile) {
  if (id != 0) return oddtile_bad_configuration;
  *profile = {.name = "scores in memory"};
  profile->tile_rows = 1;
  // One step of whole stretches: of a part of one, the first lanes add kRowVector columns as well.
  constexpr int64_t kStretch = 32 * kRowVector;
  constexpr int64_t kMost = INT32_MAX / kStretch * kStretch;
  profile->tile_columns = int32_t(std::clamp(round_up(problem.seq_k, kStretch), kStretch, kMost));
  profile->sum_lanes = 32;
  profile->mma_products = product_arithmetic().mma_products;
  profile->mma_fraction_bits = product_arithmetic().mma_fraction_bits;
  profile->weight_dtype = problem.dtype;
  profile->weight_normalised = 1;
  profile->exp2_flushes = kMachineArithmetic.exp2_flushes;
  profile->exp2_error = kMachineArithmetic.exp2_error;
  profile->log2_error = kMachineArithmetic.log2_error;
  // cuBLAS chooses its own products and their order.
  profile->machine_arithmetic = product_arithmetic().mma_products == 0;
  profile->division_error_u = 2.0;
  return oddtile_ok;
}

int64_t eager_attention_workspace_bytes(const oddtile_attention_problem& problem, int32_t id) {
  return id == 0 && check_attention(problem) == oddtile_ok ? plan_of(problem).bytes : 0;
}

oddtile_status eager_attention_launch(const oddtile_attention_problem* problem, int32_t id,
                                      void* workspace, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  if (const oddtile_status status = check_attention(*problem); status != oddtile_ok) return status;
  if (id != 0) return oddtile_bad_configuration;
  if (problem->batch == 0 || problem->seq_q == 0) return oddtile_ok;
  // Without keys there is nothing to multiply: not offered, as configurations says.
  if (problem->seq_k < least_product_depth() || !products_available()) return oddtile_unsupported;
  if (!is_workspace(workspace)) return oddtile_bad_workspace;
  auto* const memory = static_cast<std::byte*>(workspace);
  return problem->dtype == oddtile_fp16 ? launch_as<Half>(*problem, memory, stream)
                                        : launch_as<Bfloat16>(*problem, memory, stream);
}

}  // namespace oddtile::ODDTILE_MACHINE
