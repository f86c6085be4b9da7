// A plug-in as small as they come, and wrong on purpose: its softmax does not subtract the maximum,
// so that exp overflows above 88 and vanishes below -103. It works on memory of the machine `sim`,
// which is the host's. A plug-in needs the C header and nothing else of oddtile.
#include <cmath>
#include <cstring>

#include "kernels/api/kernels.h"

namespace {

int32_t configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  const bool offered =
      problem->kernel == oddtile_kernel_softmax && problem->softmax.dtype == oddtile_fp32;
  if (offered && capacity > 0) ids[0] = 0;
  return offered ? 1 : 0;
}

oddtile_status describe(const oddtile_problem*, int32_t id, oddtile_profile* profile) {
  if (id != 0) return oddtile_bad_configuration;
  *profile = {};
  std::strcpy(profile->name, "host loop");
  profile->sum_lanes = 1;
  profile->exp2_error = 0x1p-22;
  profile->division_error_u = 1;
  return oddtile_ok;
}

int64_t workspace_bytes(const oddtile_problem*, int32_t) {
  return 0;
}

oddtile_status softmax(const oddtile_softmax_problem* problem, int32_t, void*, void*) {
  for (int64_t row = 0; row < problem->rows; ++row) {
    const float* x = static_cast<const float*>(problem->x) + row * problem->x_row_stride;
    float* y = static_cast<float*>(problem->y) + row * problem->y_row_stride;
    const uint8_t* mask = problem->mask;
    const auto visible = [&](int64_t column) {
      return mask == nullptr || mask[row * problem->mask_row_stride + column] != 0;
    };
    float sum = 0;
    for (int64_t column = 0; column < problem->columns; ++column) {
      if (visible(column)) sum += std::exp(x[column]);
    }
    for (int64_t column = 0; column < problem->columns; ++column) {
      y[column] = visible(column) ? std::exp(x[column]) / sum : 0.0f;
    }
  }
  return oddtile_ok;
}

const char* status_text(oddtile_status status) {
  return status == oddtile_ok ? "done" : "not supported by the example";
}

constexpr oddtile_implementation kTable = {
    .abi_version = ODDTILE_ABI_VERSION,
    .struct_size = sizeof(oddtile_implementation),
    .name = "example",
    .capabilities = oddtile_any_stride,
    .configurations = configurations,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .vector_add = nullptr,
    .softmax = softmax,
    .attention = nullptr,
    .status_text = status_text,
};

}  // namespace

ODDTILE_API const oddtile_implementation* oddtile_plugin(uint32_t abi_version) {
  return abi_version == ODDTILE_ABI_VERSION ? &kTable : nullptr;
}
