// No test but a library for own_symbols_test.cc and plugin_test.cc, built twice. Its table is named
// by a function that the test program has, too; and it defines a symbol as g++ defines an inline
// variable: one a process.
#include "kernels/api/kernels.h"

__asm__(
    ".data\n"
    ".globl oddtile_one_a_process\n"
    ".type oddtile_one_a_process, @gnu_unique_object\n"
    ".size oddtile_one_a_process, 4\n"
    "oddtile_one_a_process: .long 1\n"
    ".text\n");

ODDTILE_API __attribute__((weak)) const char* oddtile_whose() {
  return "the library's";
}

ODDTILE_API const oddtile_implementation* oddtile_plugin(uint32_t) {
  static oddtile_implementation table = {
      .abi_version = ODDTILE_ABI_VERSION,
      .struct_size = sizeof(oddtile_implementation),
      .name = "",
      .capabilities = 0,
      .configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; },
      .describe = [](const oddtile_problem*, int32_t,
                     oddtile_profile*) { return oddtile_unsupported; },
      .workspace_bytes = [](const oddtile_problem*, int32_t) { return int64_t(0); },
      .vector_add = nullptr,
      .softmax = nullptr,
      .attention = nullptr,
      .status_text = [](oddtile_status) { return "unsupported"; }};
  table.name = oddtile_whose();
  return &table;
}
