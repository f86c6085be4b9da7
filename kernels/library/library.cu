// The two tables of this machine. Compiled once per machine, like a kernel.
#include <cstddef>

#include "kernels/dialect/dialect.cuh"
#include "kernels/library/library.h"
#include "kernels/softmax/softmax.cuh"
#include "kernels/vector_add/vector_add.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

int32_t fused_configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return vector_add_configurations(problem->vector_add, ids, capacity);
    case oddtile_kernel_softmax:
      return softmax_configurations(problem->softmax, ids, capacity);
    default:
      return 0;
  }
}

oddtile_status fused_describe(const oddtile_problem* problem, int32_t id,
                              oddtile_profile* profile) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return vector_add_describe(problem->vector_add, id, profile);
    case oddtile_kernel_softmax:
      return softmax_describe(problem->softmax, id, profile);
    default:
      return oddtile_unsupported;
  }
}

int64_t fused_workspace_bytes(const oddtile_problem* problem, int32_t id) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return vector_add_workspace_bytes(problem->vector_add, id);
    case oddtile_kernel_softmax:
      return softmax_workspace_bytes(problem->softmax, id);
    default:
      return 0;
  }
}

int32_t eager_configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return eager_vector_add_configurations(problem->vector_add, ids, capacity);
    case oddtile_kernel_softmax:
      return eager_softmax_configurations(problem->softmax, ids, capacity);
    default:
      return 0;
  }
}

oddtile_status eager_describe(const oddtile_problem* problem, int32_t id,
                              oddtile_profile* profile) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return eager_vector_add_describe(problem->vector_add, id, profile);
    case oddtile_kernel_softmax:
      return eager_softmax_describe(problem->softmax, id, profile);
    default:
      return oddtile_unsupported;
  }
}

int64_t eager_workspace_bytes(const oddtile_problem* problem, int32_t id) {
  switch (problem->kernel) {
    case oddtile_kernel_vector_add:
      return eager_vector_add_workspace_bytes(problem->vector_add, id);
    case oddtile_kernel_softmax:
      return eager_softmax_workspace_bytes(problem->softmax, id);
    default:
      return 0;
  }
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

constexpr uint64_t kCapabilities = oddtile_any_stride | oddtile_graph_capture;

}  // namespace

const oddtile_implementation& fused() {
  static constexpr oddtile_implementation kTable = {.abi_version = ODDTILE_ABI_VERSION,
                                                    .struct_size = sizeof(oddtile_implementation),
                                                    .name = "fused",
                                                    .capabilities = kCapabilities,
                                                    .configurations = fused_configurations,
                                                    .describe = fused_describe,
                                                    .workspace_bytes = fused_workspace_bytes,
                                                    .vector_add = vector_add_launch,
                                                    .softmax = softmax_launch,
                                                    .attention = nullptr,
                                                    .status_text = status_text};
  return kTable;
}

const oddtile_implementation& eager() {
  static constexpr oddtile_implementation kTable = {.abi_version = ODDTILE_ABI_VERSION,
                                                    .struct_size = sizeof(oddtile_implementation),
                                                    .name = "eager",
                                                    .capabilities = kCapabilities,
                                                    .configurations = eager_configurations,
                                                    .describe = eager_describe,
                                                    .workspace_bytes = eager_workspace_bytes,
                                                    .vector_add = eager_vector_add_launch,
                                                    .softmax = eager_softmax_launch,
                                                    .attention = nullptr,
                                                    .status_text = status_text};
  return kTable;
}

}  // namespace oddtile::ODDTILE_MACHINE
