// A library for own_symbols_test.cc and plugin_test.cc, built twice. Its table is named by a
// function that the test program has, too; and it defines symbols as g++ defines inline variables:
// one a process. Of these oddtile::one_place<std::vector<int>> matters; that of namespace std and a
// thread's own do not. By their hashes the table has it last, so that the others, if they counted,
// would be named instead.
#include "kernels/api/kernels.h"

__asm__(
    ".macro unique name\n"
    ".globl \\name\n"
    ".type \\name, @gnu_unique_object\n"
    ".size \\name, 4\n"
    "\\name: .long 1\n"
    ".endm\n"
    ".data\n"
    "unique _ZN7oddtile9one_placeISt6vectorIiSaIiEEEE\n"
    "unique _ZNSt3oneE\n"
    ".section .tdata,\"awT\",@progbits\n"
    "unique oddtile_one_a_thread\n"
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
