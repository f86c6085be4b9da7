// A walk through the statuses of kernels.h: a small good problem is spoiled in one place at a time.
// Each attempt must give the documented status, launch nothing and leave every byte as it was.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "properties/checks/checks.h"
#include "properties/harness/buffers.h"

namespace oddtile::properties {
namespace {

class Walk {
 public:
  Walk(const oracles::Case& good, const oddtile_implementation& which, Machine& machine)
      : workload_(oracles::materialise(good, oracles::Poison::nan)),
        which_(which),
        machine_(machine),
        buffers_(workload_, machine, 0xFF) {
    if (buffers_.ready()) {
      problem_ = buffers_.problem();
      id_ = choose_configuration(which, problem_, -1).id;
    }
    if (id_ < 0) {
      fail("the good problem is not offered");
      return;
    }
    workspace_bytes_ = which.workspace_bytes(&problem_, id_);
    if (!buffers_.add_workspace(workspace_bytes_)) fail("no memory for the workspace");
  }

  bool usable() const { return broken_.empty(); }
  std::vector<std::string> take() { return std::move(broken_); }
  const oddtile_problem& good() const { return problem_; }

  // `spoil` gets the problem's own part, e.g. oddtile_softmax_problem.
  template <class Spoil>
  void expect(oddtile_status expected, std::string_view what, Spoil&& spoil) {
    oddtile_problem problem = problem_;
    spoil(problem);
    attempt(expected, what, problem, id_, buffers_.workspace());
  }

  // What every kernel must refuse in the same way.
  void configuration_and_workspace() {
    for (const int32_t id : {-1, -7, 987654, std::numeric_limits<int32_t>::max()}) {
      attempt(oddtile_bad_configuration, fmt::format("configuration id {}", id), problem_, id,
              buffers_.workspace());
    }
    if (workspace_bytes_ == 0) return;
    attempt(oddtile_bad_workspace, "no workspace", problem_, id_, nullptr);
    attempt(oddtile_bad_workspace, "workspace at an address that is no multiple of 256", problem_,
            id_, static_cast<std::byte*>(buffers_.workspace()) + 64);
  }

  void good_problem_is_taken() {
    machine_.begin(0);
    buffers_.allow();
    const oddtile_status status =
        launch(which_, problem_, id_, buffers_.workspace(), machine_.stream());
    const std::string error = machine_.synchronise();
    if (status != oddtile_ok) fail("the good problem is refused: " + text(status));
    if (!error.empty()) fail("the good problem: " + error);
  }

 private:
  std::string text(oddtile_status status) const {
    return fmt::format("status {} ({})", int(status), which_.status_text(status));
  }
  void fail(const std::string& line) {
    broken_.push_back(fmt::format("{} of {} on {}: {}",
                                  oracles::kernel_name(workload_.subject.kernel()), which_.name,
                                  machine_.name(), line));
  }
  void attempt(oddtile_status expected, std::string_view what, const oddtile_problem& problem,
               int32_t id, void* workspace) {
    machine_.begin(0);
    buffers_.allow();
    const oddtile_status status = launch(which_, problem, id, workspace, machine_.stream());
    const std::string error = machine_.synchronise();
    if (status != expected) {
      fail(fmt::format("{} gives {}, expected {}", what, text(status), text(expected)));
    }
    if (!error.empty()) fail(fmt::format("{} makes the machine report {}", what, error));
    if (machine_.counters().launches > 0) fail(fmt::format("{} launches a kernel", what));
    if (machine_.lost()) return;
    if (!buffers_.untouched()) {
      fail(fmt::format("{} is answered, but memory has changed", what));
      buffers_.restore_outputs();
    }
  }

  const oracles::Workload workload_;
  const oddtile_implementation& which_;
  Machine& machine_;
  Buffers buffers_;
  oddtile_problem problem_ = {};
  int32_t id_ = -1;
  int64_t workspace_bytes_ = 0;
  std::vector<std::string> broken_;
};

template <class T>
T* shifted(T* address, int64_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(address) + bytes);
}
const void* shifted(const void* address, int64_t bytes) {
  return static_cast<const char*>(address) + bytes;
}
void* shifted(void* address, int64_t bytes) {
  return static_cast<char*>(address) + bytes;
}

// No enumerator, but a value that C++ lets the enumeration hold (UBSan refuses what is beyond).
constexpr auto kNoType = oddtile_dtype(3);

void walk_vector_add(Walk& walk) {
  const auto expect = [&](oddtile_status status, std::string_view what, auto spoil) {
    walk.expect(status, what, [&](oddtile_problem& p) { spoil(p.vector_add); });
  };
  using P = oddtile_vector_add_problem;
  expect(oddtile_null_pointer, "x null", [](P& p) { p.x = nullptr; });
  expect(oddtile_null_pointer, "y null", [](P& p) { p.y = nullptr; });
  expect(oddtile_null_pointer, "out null", [](P& p) { p.out = nullptr; });
  expect(oddtile_bad_dtype, "an unknown dtype", [](P& p) { p.dtype = kNoType; });
  expect(oddtile_bad_shape, "n = -1", [](P& p) { p.n = -1; });
  expect(oddtile_misaligned, "x off by a byte", [](P& p) { p.x = shifted(p.x, 1); });
  expect(oddtile_misaligned, "y off by two bytes", [](P& p) { p.y = shifted(p.y, 2); });
  expect(oddtile_misaligned, "out off by a byte", [](P& p) { p.out = shifted(p.out, 1); });
  const P good = walk.good().vector_add;
  void* const x = const_cast<void*>(good.x);
  void* const y = const_cast<void*>(good.y);
  expect(oddtile_overlap, "out one element behind x", [&](P& p) { p.out = shifted(x, 4); });
  expect(oddtile_overlap, "out one element before y", [&](P& p) { p.out = shifted(y, -4); });
  expect(oddtile_overlap, "out at the last element of x",
         [&](P& p) { p.out = shifted(x, 4 * (p.n - 1)); });
  expect(oddtile_overlap, "out on the mask",
         [&](P& p) { p.mask = static_cast<const uint8_t*>(p.out); });
}

void walk_softmax(Walk& walk) {
  const auto expect = [&](oddtile_status status, std::string_view what, auto spoil) {
    walk.expect(status, what, [&](oddtile_problem& p) { spoil(p.softmax); });
  };
  using P = oddtile_softmax_problem;
  expect(oddtile_null_pointer, "x null", [](P& p) { p.x = nullptr; });
  expect(oddtile_null_pointer, "y null", [](P& p) { p.y = nullptr; });
  expect(oddtile_bad_dtype, "an unknown dtype", [](P& p) { p.dtype = kNoType; });
  expect(oddtile_bad_shape, "rows = -1", [](P& p) { p.rows = -1; });
  expect(oddtile_bad_shape, "columns = -1", [](P& p) { p.columns = -1; });
  expect(oddtile_bad_shape, "columns = 2^31 + 1", [](P& p) { p.columns = (int64_t(1) << 31) + 1; });
  expect(oddtile_misaligned, "x off by a byte", [](P& p) { p.x = shifted(p.x, 1); });
  expect(oddtile_misaligned, "y off by a byte", [](P& p) { p.y = shifted(p.y, 1); });
  expect(oddtile_bad_stride, "rows of y on one another", [](P& p) { p.y_row_stride = 0; });
  expect(oddtile_bad_stride, "rows of y one element short",
         [](P& p) { p.y_row_stride = p.columns - 1; });
  expect(oddtile_bad_stride, "rows of y backwards and one element short",
         [](P& p) { p.y_row_stride = 1 - p.columns; });
  const P good = walk.good().softmax;
  void* const x = const_cast<void*>(good.x);
  expect(oddtile_overlap, "y one element behind x", [&](P& p) { p.y = shifted(x, 4); });
  expect(oddtile_overlap, "y on x with another stride", [&](P& p) {
    p.y = x;
    p.y_row_stride = p.x_row_stride + 1;
  });
  expect(oddtile_overlap, "y on the mask",
         [&](P& p) { p.mask = static_cast<const uint8_t*>(p.y); });
}

void walk_attention_tensors(Walk& walk) {
  const auto expect = [&](oddtile_status status, std::string_view what, auto spoil) {
    walk.expect(status, what, [&](oddtile_problem& p) { spoil(p.attention); });
  };
  using P = oddtile_attention_problem;
  expect(oddtile_null_pointer, "q null", [](P& p) { p.q.data = nullptr; });
  expect(oddtile_null_pointer, "k null", [](P& p) { p.k.data = nullptr; });
  expect(oddtile_null_pointer, "v null", [](P& p) { p.v.data = nullptr; });
  expect(oddtile_null_pointer, "o null", [](P& p) { p.o.data = nullptr; });
  expect(oddtile_misaligned, "q off by a byte", [](P& p) { p.q.data = shifted(p.q.data, 1); });
  expect(oddtile_misaligned, "k off by a byte", [](P& p) { p.k.data = shifted(p.k.data, 1); });
  expect(oddtile_misaligned, "v off by a byte", [](P& p) { p.v.data = shifted(p.v.data, 1); });
  expect(oddtile_misaligned, "o off by a byte", [](P& p) { p.o.data = shifted(p.o.data, 1); });
  expect(oddtile_misaligned, "lse off by two bytes", [](P& p) { p.lse = shifted(p.lse, 2); });
  expect(oddtile_misaligned, "key_length off by a byte",
         [](P& p) { p.key_length = shifted(p.key_length, 1); });
  expect(oddtile_bad_stride, "rows of o on one another", [](P& p) { p.o.row_stride = 0; });
  expect(oddtile_bad_stride, "rows of o one element short",
         [](P& p) { p.o.row_stride = p.head_dim - 1; });
  expect(oddtile_bad_stride, "heads of o on one another", [](P& p) { p.o.head_stride = 0; });
  expect(oddtile_bad_stride, "batches of o on one another", [](P& p) { p.o.batch_stride = 0; });
  expect(oddtile_bad_stride, "rows of lse on one another", [](P& p) { p.lse_row_stride = 0; });
  expect(oddtile_bad_stride, "heads of lse on one another", [](P& p) { p.lse_head_stride = 1; });
  expect(oddtile_overlap, "o on q", [](P& p) { p.o.data = p.q.data; });
  expect(oddtile_overlap, "o on k", [](P& p) { p.o.data = p.k.data; });
  expect(oddtile_overlap, "o on v", [](P& p) { p.o.data = p.v.data; });
  expect(oddtile_overlap, "o on the mask",
         [](P& p) { p.mask = static_cast<const uint8_t*>(p.o.data); });
  expect(oddtile_overlap, "lse on o", [](P& p) { p.lse = static_cast<float*>(p.o.data); });
  expect(oddtile_overlap, "lse on key_length",
         [](P& p) { p.key_length = reinterpret_cast<const int32_t*>(p.lse); });
}

void walk_attention(Walk& walk) {
  const auto expect = [&](oddtile_status status, std::string_view what, auto spoil) {
    walk.expect(status, what, [&](oddtile_problem& p) { spoil(p.attention); });
  };
  using P = oddtile_attention_problem;
  expect(oddtile_bad_dtype, "fp32", [](P& p) { p.dtype = oddtile_fp32; });
  expect(oddtile_bad_dtype, "an unknown dtype", [](P& p) { p.dtype = kNoType; });
  expect(oddtile_bad_shape, "batch = -1", [](P& p) { p.batch = -1; });
  expect(oddtile_bad_shape, "heads_q = -2", [](P& p) { p.heads_q = -2; });
  expect(oddtile_bad_shape, "heads_kv = 0", [](P& p) { p.heads_kv = 0; });
  expect(oddtile_bad_shape, "heads_kv = -2", [](P& p) { p.heads_kv = -2; });
  expect(oddtile_bad_shape, "heads_q = 3 over heads_kv = 2", [](P& p) { p.heads_q = 3; });
  expect(oddtile_bad_shape, "seq_q = -1", [](P& p) { p.seq_q = -1; });
  expect(oddtile_bad_shape, "seq_k = -1", [](P& p) { p.seq_k = -1; });
  expect(oddtile_bad_shape, "head_dim = 0", [](P& p) { p.head_dim = 0; });
  expect(oddtile_bad_shape, "head_dim = 257", [](P& p) { p.head_dim = 257; });
  expect(oddtile_bad_scale, "scale = NaN", [](P& p) { p.scale = std::nanf(""); });
  expect(oddtile_bad_scale, "scale = inf", [](P& p) { p.scale = INFINITY; });
  expect(oddtile_bad_scale, "scale = -inf", [](P& p) { p.scale = -INFINITY; });
  walk_attention_tensors(walk);
}

oracles::Case good_case(oddtile_kernel kernel) {
  oracles::Case result;
  switch (kernel) {
    case oddtile_kernel_vector_add:
      result.problem = oracles::VectorAddCase{.n = 37, .mask = oracles::MaskKind::half};
      break;
    case oddtile_kernel_softmax:
      result.problem =
          oracles::SoftmaxCase{.rows = 3, .columns = 5, .mask = oracles::MaskKind::half};
      break;
    case oddtile_kernel_attention:
      result.problem = oracles::AttentionCase{.batch = 2,
                                              .heads_kv = 2,
                                              .seq_q = 3,
                                              .seq_k = 5,
                                              .lengths = oracles::KeyLengths::random,
                                              .mask = oracles::MaskKind::half};
      break;
  }
  return result;
}

}  // namespace

std::vector<std::string> check_bad_arguments(oddtile_kernel kernel,
                                             const oddtile_implementation& which,
                                             Machine& machine) {
  Walk walk(good_case(kernel), which, machine);
  if (!walk.usable()) return walk.take();
  if (kernel == oddtile_kernel_vector_add) walk_vector_add(walk);
  if (kernel == oddtile_kernel_softmax) walk_softmax(walk);
  if (kernel == oddtile_kernel_attention) walk_attention(walk);
  walk.configuration_and_workspace();
  walk.good_problem_is_taken();  // last, since it writes: the refusals were not for another reason
  return walk.take();
}

}  // namespace oddtile::properties
