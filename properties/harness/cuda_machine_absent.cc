// The machine `cuda` of a build without a CUDA side: there is none, and CMake says why.
#include "properties/harness/harness.h"

namespace oddtile::properties {

Machine* cuda_machine() {
  return nullptr;
}
std::string cuda_absence_reason() {
  return "this build has no CUDA side (" CUDA_ABSENT_BECAUSE ")";
}

}  // namespace oddtile::properties
