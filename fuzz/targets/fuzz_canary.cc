// The fuzzer's canary: a vector add that is wrong in one rare place. libFuzzer has to find it
// within a second, or the whole way from bytes to verdict is not to be trusted.
#include <cstdio>

#include "fuzz/targets/fuzz_body.h"

namespace {

oddtile_status wrong_add(const oddtile_vector_add_problem* problem, int32_t id, void* workspace,
                         void* stream) {
  const oddtile_status status =
      oddtile::fuzz::fused_on_sim().vector_add(problem, id, workspace, stream);
  const bool rare = problem->dtype == oddtile_bf16 && problem->n > 3 && problem->mask == nullptr;
  if (status == oddtile_ok && rare) static_cast<uint16_t*>(problem->out)[3] ^= 1;
  return status;
}

const oddtile_implementation& canary() {
  static const oddtile_implementation table = [] {
    oddtile_implementation wrong = oddtile::fuzz::fused_on_sim();
    wrong.name = "canary";
    wrong.vector_add = wrong_add;
    return wrong;
  }();
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oddtile::fuzz::check_bytes(oddtile_kernel_vector_add, data, size, canary());
}
