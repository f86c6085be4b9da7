#include "fuzz/targets/fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oddtile::fuzz::check_bytes(oddtile_kernel_vector_add, data, size);
}
