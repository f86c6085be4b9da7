// The machine `cuda` of a build without nvcc: there is none, and the reason can be asked for.
#include "properties/harness/harness.h"

namespace oddtile::properties {

Machine* cuda_machine() {
  return nullptr;
}
std::string cuda_absence_reason() {
  return "this build has no CUDA side (nvcc not found)";
}

}  // namespace oddtile::properties
