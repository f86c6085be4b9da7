/* kernels.h is C: this compiles it as C, fills a table and calls through it. The exit status is the
 * number of the first expectation that does not hold. */
#include "kernels/api/kernels.h"

#include <stddef.h>

static const char* text(oddtile_status status) {
  return status == oddtile_ok ? "ok" : "not ok";
}

static oddtile_status launch(const oddtile_vector_add_problem* problem, int32_t id, void* workspace,
                             void* stream) {
  (void)id;
  (void)workspace;
  (void)stream;
  return problem == NULL ? oddtile_null_pointer : oddtile_ok;
}

static const oddtile_implementation* plugin(uint32_t abi_version) {
  static const oddtile_implementation table = {
      .abi_version = ODDTILE_ABI_VERSION,
      .struct_size = sizeof(oddtile_implementation),
      .name = "written in C",
      .capabilities = oddtile_any_stride | oddtile_graph_capture,
      .vector_add = launch,
      .status_text = text,
  };
  return abi_version == ODDTILE_ABI_VERSION ? &table : NULL;
}

int main(void) {
  const oddtile_plugin_function load = plugin;
  const oddtile_implementation* table = load(ODDTILE_ABI_VERSION);
  const oddtile_problem problem = {.kernel = oddtile_kernel_vector_add,
                                   .vector_add = {.dtype = oddtile_fp16, .n = 0}};
  const char* symbol = ODDTILE_PLUGIN_SYMBOL;
  if (load(ODDTILE_ABI_VERSION + 1) != NULL) return 1; /* another version is refused */
  if (table->struct_size != sizeof(oddtile_implementation)) return 2;
  if (offsetof(oddtile_implementation, struct_size) != 4) return 3; /* read before the rest */
  if (table->softmax != NULL) return 4; /* a kernel that is not offered has no function */
  if (table->vector_add(&problem.vector_add, 0, NULL, NULL) != oddtile_ok) return 5;
  if (table->vector_add(NULL, 0, NULL, NULL) != oddtile_null_pointer) return 6;
  if (table->status_text(oddtile_bad_scale)[0] != 'n') return 7;
  if (oddtile_ok != 0 || oddtile_fp32 != 0 || oddtile_top_left != 0) return 8;
  if (symbol[0] != 'o') return 9;
  return 0;
}
