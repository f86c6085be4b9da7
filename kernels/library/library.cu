// The two tables of this machine. Compiled once per machine, like a kernel.
#include <cstddef>

#include "kernels/attention/attention.cuh"
#include "kernels/dialect/dialect.cuh"
#include "kernels/library/library.h"
#include "kernels/softmax/softmax.cuh"
#include "kernels/vector_add/vector_add.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// One kernel of one implementation, as its folder declares it.
template <class Problem>
struct Kernel {
  int32_t (*configurations)(const Problem&, int32_t* ids, int32_t capacity);
  oddtile_status (*describe)(const Problem&, int32_t id, oddtile_profile*);
  int64_t (*workspace_bytes)(const Problem&, int32_t id);
  oddtile_status (*launch)(const Problem*, int32_t id, void* workspace, void* stream);
};

struct Kernels {
  Kernel<oddtile_vector_add_problem> vector_add;
  Kernel<oddtile_softmax_problem> softmax;
  Kernel<oddtile_attention_problem> attention;
};

constexpr Kernels kFused = {
    {vector_add_configurations, vector_add_describe, vector_add_workspace_bytes, vector_add_launch},
    {softmax_configurations, softmax_describe, softmax_workspace_bytes, softmax_launch},
    {attention_configurations, attention_describe, attention_workspace_bytes, attention_launch}};

constexpr Kernels kEager = {{eager_vector_add_configurations, eager_vector_add_describe,
                             eager_vector_add_workspace_bytes, eager_vector_add_launch},
                            {eager_softmax_configurations, eager_softmax_describe,
                             eager_softmax_workspace_bytes, eager_softmax_launch},
                            {eager_attention_configurations, eager_attention_describe,
                             eager_attention_workspace_bytes, eager_attention_launch}};

// Calls action(kernel, problem) for the kernel that the tagged problem names; else `otherwise`.
template <class Result, class Action>
Result dispatch(const Kernels& kernels, const oddtile_problem* problem, Result otherwise,
                Action&& action) {
  if (problem == nullptr) return otherwise;
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return action(kernels.vector_add, problem->vector_add);
    case oddtile_kernel_softmax:
      return action(kernels.softmax, problem->softmax);
    case oddtile_kernel_attention:
      return action(kernels.attention, problem->attention);
  }
  return otherwise;
}

template <const Kernels& kernels>
int32_t configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  if (ids == nullptr) capacity = 0;
  return dispatch(kernels, problem, int32_t(0), [&](const auto& kernel, const auto& subject) {
    return kernel.configurations(subject, ids, capacity);
  });
}

template <const Kernels& kernels>
oddtile_status describe(const oddtile_problem* problem, int32_t id, oddtile_profile* profile) {
  if (profile == nullptr) return oddtile_null_pointer;
  return dispatch(kernels, problem, oddtile_unsupported,
                  [&](const auto& kernel, const auto& subject) {
                    return kernel.describe(subject, id, profile);
                  });
}

template <const Kernels& kernels>
int64_t workspace_bytes(const oddtile_problem* problem, int32_t id) {
  return dispatch(kernels, problem, int64_t(0), [&](const auto& kernel, const auto& subject) {
    return kernel.workspace_bytes(subject, id);
  });
}

const char* status_text(oddtile_status status) {
  switch (status) {
    case oddtile_ok:
      return "ok";
    case oddtile_null_pointer:
      return "a tensor with elements has no address";
    case oddtile_bad_dtype:
      return "the kernel does not take this element type";
    case oddtile_bad_shape:
      return "a length, head size or number of heads is out of range";
    case oddtile_bad_scale:
      return "the scale is NaN or infinite";
    case oddtile_bad_stride:
      return "elements of an output overlap one another";
    case oddtile_overlap:
      return "an output overlaps an input";
    case oddtile_misaligned:
      return "an address is no multiple of its element size";
    case oddtile_bad_configuration:
      return "the configuration is not one of this problem's";
    case oddtile_bad_workspace:
      return "the workspace is missing or not 256-byte aligned";
    case oddtile_unsupported:
      return "this implementation does not offer the problem";
    case oddtile_launch_failed:
      return "the machine refused the launch";
  }
  return "unknown status";
}

template <const Kernels& kernels>
constexpr oddtile_implementation table(const char* name, uint64_t more_capabilities) {
  return {
      .abi_version = ODDTILE_ABI_VERSION,
      .struct_size = sizeof(oddtile_implementation),
      .name = name,
      .capabilities = uint64_t(oddtile_stores_lse | oddtile_any_stride | oddtile_any_head_size) |
                      more_capabilities,
      .configurations = configurations<kernels>,
      .describe = describe<kernels>,
      .workspace_bytes = workspace_bytes<kernels>,
      .vector_add = kernels.vector_add.launch,
      .softmax = kernels.softmax.launch,
      .attention = kernels.attention.launch,
      .status_text = status_text};
}

}  // namespace

const oddtile_implementation& fused() {
  static constexpr oddtile_implementation kTable = table<kFused>("fused", oddtile_graph_capture);
  return kTable;
}

const oddtile_implementation& eager() {
  static constexpr oddtile_implementation kTable = table<kEager>("eager", 0);
  return kTable;
}

}  // namespace oddtile::ODDTILE_MACHINE
